use super::{minutes_ago, tally};
use crate::audit::testing::event;
use crate::audit::{ActivityEntry, ActivityPosition, ListActivity, ListReads, ReaderName};
use crate::ports::storage::{AuditFilter, MockAuditReader, MockPersonalTokenReader, MockReadTallyStore};
use crate::testing::{app, client_id, client_reader, user_id, without_secrets};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use domain::read_tally::ReadTally;
use std::sync::Arc;
use uuid::Uuid;

/// An event this many minutes before noon.
fn happened(minutes: i64) -> AuditEvent {
    let exported = event(AuditActor::Person, AuditKind::DataExported).user(user_id(1));
    let id = AuditEventId::from_uuid(Uuid::from_u128(u128::try_from(minutes).unwrap()));
    AuditEvent { id, at: minutes_ago(minutes), ..exported }
}

/// A store with these reads and events, latest first, and an app.
fn activity(reads: Vec<ReadTally>, events: Vec<AuditEvent>) -> ListActivity {
    let (mut tallies, mut trail) = (MockReadTallyStore::new(), MockAuditReader::new());
    tallies.expect_list().returning(move |_, after, limit| {
        let later = reads.iter().filter(|read| after.is_none_or(|after| read.key.minute < after.minute));
        Ok(later.take(limit as usize).copied().collect())
    });
    let of_person = |filter: &AuditFilter| {
        filter.user_id == Some(user_id(1)) && filter.kinds == Some(AuditKind::IN_ACTIVITY)
    };
    trail.expect_list_events().withf(move |filter, _, _| of_person(filter)).returning(
        move |_, after, limit| {
            let later = events.iter().filter(|event| after.is_none_or(|after| (event.at, event.id) < after));
            Ok(later.take(limit as usize).cloned().collect())
        },
    );
    let clients = client_reader(.., |id| Ok((id == client_id(1)).then(|| without_secrets(app()))));
    let reads =
        ListReads::new(Arc::new(tallies), Arc::new(clients), Arc::<MockPersonalTokenReader>::default());
    ListActivity::new(reads, Arc::new(trail))
}

/// Names an entry: `r5` is the read five minutes before noon.
fn name(entry: &ActivityEntry) -> String {
    let (kind, at) = match entry {
        ActivityEntry::Read(read) => ('r', read.tally.key.minute),
        ActivityEntry::Event(listed) => ('e', listed.event.at),
    };
    format!("{kind}{}", (minutes_ago(0) - at).num_minutes())
}

#[tokio::test]
async fn reads_and_events_are_listed_in_one_order_over_pages_of_any_size() {
    let reads: Vec<_> = [1, 4, 5, 9].map(|minutes| tally(1, minutes)).into();
    let events: Vec<_> = [2, 3, 5, 7, 8, 12].map(happened).into();
    let expected = ["r1", "e2", "e3", "r4", "e5", "r5", "e7", "e8", "r9", "e12"];
    for size in 1..=11 {
        let list = activity(reads.clone(), events.clone());
        let (mut walked, mut after) = (Vec::new(), Some(ActivityPosition::default()));
        while let Some(position) = after {
            let page = list.run(user_id(1), position, size).await.unwrap();
            assert!(page.entries.len() <= size as usize);
            walked.extend(page.entries.iter().map(name));
            after = page.next;
        }
        assert_eq!(walked, expected, "{size} a page");
    }
}

#[tokio::test]
async fn one_of_both_lists_may_be_empty() {
    let reads: Vec<_> = (1..=4).map(|minutes| tally(1, minutes)).collect();
    let events: Vec<_> = (1..=4).map(happened).collect();
    for (list, expected) in
        [(activity(reads, Vec::new()), ["r1", "r2"]), (activity(Vec::new(), events), ["e1", "e2"])]
    {
        let page = list.run(user_id(1), ActivityPosition::default(), 2).await.unwrap();
        assert_eq!(page.entries.iter().map(name).collect::<Vec<_>>(), expected);
        let last = list.run(user_id(1), page.next.unwrap(), 2).await.unwrap();
        assert_eq!((last.entries.len(), last.next), (2, None));
    }
}

#[tokio::test]
async fn only_events_of_apps_have_a_name() {
    let written = AuditEvent { actor: AuditActor::Client, kind: AuditKind::SleepWritten, ..happened(1) };
    let by_operator = AuditEvent { actor: AuditActor::Operator, ..happened(4) };
    let events =
        vec![written.clone().client(client_id(1)), written.client(client_id(9)), happened(3), by_operator];
    let list = activity(Vec::new(), events);
    let page = list.run(user_id(1), ActivityPosition::default(), 9).await.unwrap();
    let names: Vec<_> = page
        .entries
        .into_iter()
        .map(|entry| match entry {
            ActivityEntry::Event(listed) => listed.name,
            ActivityEntry::Read(read) => panic!("{read:?}"),
        })
        .collect();
    assert_eq!(names, [Some(ReaderName::Client(app().name)), None, None, None]);
}
