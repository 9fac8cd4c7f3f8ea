//! The audit trail.

use crate::Harness;
use crate::fixture::{client_id, erasure_id, event, event_id, now, seconds, user, user_id};
use application::ports::storage::{AuditFilter, Erasure};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::device::{Browser, Device, Platform};
use domain::id::AuditEventId;
use domain::scope::ScopeSet;
use uuid::Uuid;

async fn append(harness: &Harness, events: &[AuditEvent]) {
    let mut unit = harness.begin().await;
    for event in events {
        unit.audit().append(event).await.unwrap();
    }
    unit.commit().await.unwrap();
}

async fn list(harness: &Harness, filter: AuditFilter) -> Vec<AuditEvent> {
    harness.audit.list_events(filter, None, 1000).await.unwrap()
}

fn ids(events: &[AuditEvent]) -> Vec<AuditEventId> {
    events.iter().map(|event| event.id).collect()
}

/// Returns an event with every field, about people and clients that are not stored.
fn full_event(number: u64, second: i64) -> AuditEvent {
    AuditEvent {
        kind: AuditKind::GrantRevoked,
        actor: AuditActor::Person,
        ..event(number, second)
            .user(user_id(77))
            .client(client_id(88))
            .subject(Uuid::from_u128(99))
            .count(u64::from(u32::MAX))
            .scopes(ScopeSet::CONSENTABLE)
            .device(Some(Device { browser: Browser::Firefox, platform: Platform::IPad }))
            .from(AddressBlock::parse("2001:db8:1:2::/64").unwrap())
    }
}

pub(crate) async fn an_event_reads_back_as_appended_whatever_it_names(harness: &Harness) {
    let from_v4 = event(3, 3).from(AddressBlock::parse("192.0.2.1").unwrap()).count(0);
    let events = [full_event(1, 1), event(2, 2), from_v4];
    append(harness, &events).await;
    let [first, second, third] = events;
    assert_eq!(list(harness, AuditFilter::default()).await, [third, second, first]);
}

pub(crate) async fn every_kind_and_actor_reads_back(harness: &Harness) {
    let actors = AuditActor::ALL.into_iter().cycle();
    let events: Vec<_> = (1..)
        .zip(AuditKind::ALL.iter().copied())
        .zip(actors)
        .map(|((number, kind), actor)| AuditEvent { kind, actor, ..event(number, 0) })
        .collect();
    append(harness, &events).await;
    let mut found = list(harness, AuditFilter::default()).await;
    found.reverse();
    assert_eq!(found, events);
    for event in events {
        let of_kind = AuditFilter { kinds: Some(event.kind.as_slice()), ..AuditFilter::default() };
        assert_eq!(list(harness, of_kind).await, [event]);
    }
}

pub(crate) async fn an_event_is_stored_with_its_unit_of_work_or_not_at_all(harness: &Harness) {
    let mut unit = harness.begin().await;
    unit.audit().append(&event(1, 0)).await.unwrap();
    assert_eq!(list(harness, AuditFilter::default()).await, []);
    unit.rollback().await.unwrap();
    assert_eq!(list(harness, AuditFilter::default()).await, []);
    commit!(harness, audit().append(&event(2, 0)));
    assert_eq!(list(harness, AuditFilter::default()).await, [event(2, 0)]);
}

/// Stores events 1 to 6; events 2 and 3 have the same time.
async fn append_six(harness: &Harness) {
    let (person, other) = (user_id(1), user_id(2));
    let (app, other_app) = (client_id(1), client_id(2));
    let signed_in = |event: AuditEvent| AuditEvent { kind: AuditKind::SignedIn, ..event };
    append(
        harness,
        &[
            event(4, 30).user(person).client(app),
            event(1, 10).user(person),
            signed_in(event(3, 20).user(person)),
            signed_in(event(2, 20).user(other).client(app)),
            event(6, 50),
            event(5, 40).user(other).client(other_app),
        ],
    )
    .await;
}

pub(crate) async fn events_are_listed_by_filter_latest_first(harness: &Harness) {
    append_six(harness).await;
    let none = AuditFilter::default();
    let of_user = AuditFilter { user_id: Some(user_id(1)), ..none };
    let of_client = AuditFilter { client_id: Some(client_id(1)), ..none };
    let of_kind = AuditFilter { kinds: Some(AuditKind::SignedIn.as_slice()), ..none };
    let recent = AuditFilter { since: Some(seconds(20)), ..none };
    let of_kinds = AuditFilter { kinds: Some(&[AuditKind::SignedIn, AuditKind::SignedOut]), ..none };
    let cases: [(AuditFilter, &[u64]); 11] = [
        (of_kinds, &[3, 2]),
        (AuditFilter { kinds: Some(&[]), ..none }, &[]),
        (none, &[6, 5, 4, 3, 2, 1]),
        (of_user, &[4, 3, 1]),
        (of_client, &[4, 2]),
        (of_kind, &[3, 2]),
        (recent, &[6, 5, 4, 3, 2]),
        (AuditFilter { since: Some(seconds(21)), ..of_user }, &[4]),
        (AuditFilter { client_id: Some(client_id(1)), ..of_user }, &[4]),
        (AuditFilter { user_id: Some(user_id(1)), ..of_kind }, &[3]),
        (AuditFilter { user_id: Some(user_id(3)), ..none }, &[]),
    ];
    for (filter, expected) in cases {
        let expected: Vec<_> = expected.iter().copied().map(event_id).collect();
        assert_eq!(ids(&list(harness, filter).await), expected, "{filter:?}");
    }
}

pub(crate) async fn pages_contain_every_event_once(harness: &Harness) {
    append_six(harness).await;
    let filters = [
        (AuditFilter::default(), 6),
        (AuditFilter { user_id: Some(user_id(1)), ..AuditFilter::default() }, 3),
        (AuditFilter { since: Some(seconds(20)), ..AuditFilter::default() }, 5),
    ];
    for (filter, count) in filters {
        let all = list(harness, filter).await;
        assert_eq!(all.len(), count);
        for limit in 1..=4 {
            let (mut walked, mut after) = (Vec::new(), None);
            // Bounded to one page more than expected, in case of an endless listing.
            for _ in 0..=all.len() {
                let page = harness.audit.list_events(filter, after, limit).await.unwrap();
                assert!(page.len() <= usize::try_from(limit).unwrap());
                let Some(last) = page.last() else { break };
                after = Some((last.at, last.id));
                walked.extend(page);
            }
            assert_eq!(walked, all, "{filter:?}, {limit} a page");
        }
    }
    // A position need not be that of an existing event.
    let after = Some((seconds(20), event_id(9)));
    let rest = harness.audit.list_events(AuditFilter::default(), after, 9).await.unwrap();
    assert_eq!(ids(&rest), [3, 2, 1].map(event_id));
}

pub(crate) async fn the_oldest_events_are_deleted_up_to_the_limit(harness: &Harness) {
    append_six(harness).await;
    let steps: [(i64, u32, u64, &[u64]); 4] = [
        // Events at the cutoff stay.
        (10, 9, 0, &[6, 5, 4, 3, 2, 1]),
        (40, 2, 2, &[6, 5, 4, 3]),
        (40, 9, 2, &[6, 5]),
        (40, 9, 0, &[6, 5]),
    ];
    for (before, limit, expected, left) in steps {
        assert_eq!(commit!(harness, audit().delete_before(seconds(before), limit)), expected);
        let left: Vec<_> = left.iter().copied().map(event_id).collect();
        assert_eq!(ids(&list(harness, AuditFilter::default()).await), left);
    }
    let mut unit = harness.begin().await;
    unit.audit().append(&event(1, -1)).await.unwrap();
    assert_eq!(unit.audit().delete_before(now(), 1).await.unwrap(), 1);
}

async fn append_once(harness: &Harness, event: &AuditEvent, since: i64) {
    commit!(harness, audit().append_once(event, seconds(since)));
}

pub(crate) async fn an_event_is_appended_once_from_a_moment_on(harness: &Harness) {
    harness.store_users([1, 2]).await;
    let first = event(1, 10).user(user_id(1)).client(client_id(1));
    append_once(harness, &first, 0).await;
    // Duplicates, also within one unit of work.
    let mut unit = harness.begin().await;
    for number in [20, 21] {
        let same = event(number, 30).user(user_id(1)).client(client_id(1));
        unit.audit().append_once(&same, seconds(10)).await.unwrap();
        let of_nobody = event(number + 10, 30).client(client_id(1));
        unit.audit().append_once(&of_nobody, seconds(10)).await.unwrap();
    }
    unit.commit().await.unwrap();
    // A different event is stored, and so is a duplicate after the time limit.
    let other_kind = AuditEvent { kind: AuditKind::SignedIn, ..event(3, 30) };
    let other_actor = AuditEvent { actor: AuditActor::Operator, ..event(4, 30) };
    let others = [
        other_kind.user(user_id(1)).client(client_id(1)),
        other_actor.user(user_id(1)).client(client_id(1)),
        event(5, 30).user(user_id(2)).client(client_id(1)),
        event(6, 30).user(user_id(1)).client(client_id(2)),
        event(7, 30).user(user_id(1)),
        first.clone().subject(Uuid::from_u128(99)),
    ];
    let others = others
        .map(|other| if other.subject.is_some() { AuditEvent { id: event_id(8), ..other } } else { other });
    for other in &others {
        append_once(harness, other, 10).await;
    }
    append_once(harness, &event(9, 40).user(user_id(1)).client(client_id(1)), 11).await;
    let mut found: Vec<_> = ids(&list(harness, AuditFilter::default()).await);
    found.sort_unstable();
    assert_eq!(found, [1, 3, 4, 5, 6, 7, 8, 9, 30].map(event_id));
    let of_app =
        AuditFilter { user_id: Some(user_id(1)), client_id: Some(client_id(1)), ..AuditFilter::default() };
    assert!(list(harness, of_app).await.contains(&first), "the event reads back as appended");
}

pub(crate) async fn no_event_is_appended_once_about_an_unknown_person(harness: &Harness) {
    append_once(harness, &event(1, 0).user(user_id(1)), 0).await;
    assert_eq!(list(harness, AuditFilter::default()).await, []);
}

/// Commits after 100 ms, because no event shows that the erasure waits.
pub(crate) async fn an_erasure_removes_events_appended_during_it(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    unit.audit().append_once(&event(1, 0).user(user_id(1)), seconds(0)).await.unwrap();
    let factory = harness.factory.clone();
    let erasing = tokio::spawn(async move {
        let mut unit = factory.begin().await.unwrap();
        let erasure = Erasure { id: erasure_id(1), at: now() };
        assert!(unit.erasures().erase(user_id(1), erasure).await.unwrap());
        unit.commit().await.unwrap();
    });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    unit.commit().await.unwrap();
    erasing.await.unwrap();
    assert_eq!(list(harness, AuditFilter::default()).await, []);
}
