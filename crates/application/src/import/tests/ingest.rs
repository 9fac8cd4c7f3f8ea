//! Ingest against an in-memory store; users and profiles are tested end to end.

use super::file::ItemFile;
use super::memory_store::{Content, MemoryStore};
use super::profile::{born_tomorrow_but_one, profile, tall};
use super::record::{
    derived, intake, key, keyed, log, log_by_code, minute, own_session, own_supplement, session, supplement,
    supplement_id,
};
use super::{import_file, of_person};
use crate::audit::testing::{assert_events, event};
use crate::import::ingest::{
    IdempotentRequests, IngestCommand, IngestError, IngestRecords, IngestReport, ItemResult, ItemStatus,
    MAX_ITEMS, RESPONSE_RETENTION,
};
use crate::ports::import_source::{ImportItem, ImportRefusal, ImportedProfile};
use crate::ports::ingest_source::{
    IngestBody, IngestContent, IngestItem, IngestKind, IngestLayout, IngestParser, IngestShape, IngestSource,
    IngestedUser, ItemCode, ItemRefusal,
};
use crate::ports::storage::{Claim, IdempotentRequest, MockIdempotencyStore, StorageError, UniqueKey};
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{client_id, clock, entropy, noon, person, user_id};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use std::io::{self, Read};
use std::sync::Arc;

/// Returns the same items for every body.
struct Items {
    items: Vec<IngestItem>,
    counted: Result<usize, ImportRefusal>,
}

struct VecSource(std::vec::IntoIter<IngestItem>);

impl IngestSource for VecSource {
    fn next_batch(&mut self, limit: usize) -> Result<Vec<IngestItem>, ImportRefusal> {
        Ok(self.0.by_ref().take(limit).collect())
    }
}

impl IngestParser for Items {
    fn count(&self, _: IngestLayout, _: Box<dyn Read + Send>, _: usize) -> Result<usize, ImportRefusal> {
        self.counted.clone()
    }

    fn open(&self, _: IngestShape, _: Box<dyn Read + Send>) -> Result<Box<dyn IngestSource>, ImportRefusal> {
        Ok(Box::new(VecSource(self.items.clone().into_iter())))
    }
}

struct NoBytes;

impl IngestBody for NoBytes {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::empty()))
    }
}

fn accepted(item: ImportItem) -> IngestItem {
    IngestItem { content: Ok(IngestContent::Record(item)), notes: Vec::new() }
}

fn rejected() -> IngestItem {
    let refusal = ItemRefusal { code: ItemCode::MissingMember, field: None, detail: "no start".to_owned() };
    IngestItem { content: Err(refusal), notes: Vec::new() }
}

fn records(store: &MemoryStore, parser: Items) -> IngestRecords {
    let trail = AuditTrail::new(store.entropy(entropy), clock());
    IngestRecords::new(Store { units: store.units(), trail }, store.profiles(), Arc::new(parser))
}

async fn run(store: &MemoryStore, user: UserId, parser: Items) -> Result<IngestReport, IngestError> {
    let ingest = records(store, parser);
    let shape = IngestShape { kind: IngestKind::Sleep, layout: IngestLayout::Json, user_id: Some(user) };
    ingest.run(IngestCommand { client_id: client_id(1), shape }, &NoBytes).await
}

async fn ingest(store: &MemoryStore, items: Vec<IngestItem>) -> IngestReport {
    let counted = Ok(items.len());
    run(store, user_id(1), Items { items, counted }).await.unwrap()
}

/// Returns the outcome of each item as a word.
fn words(report: &IngestReport) -> Vec<&'static str> {
    let word = |result: &ItemResult| match result {
        ItemResult::Accepted { status: ItemStatus::Created, .. } => "created",
        ItemResult::Accepted { status: ItemStatus::Updated, .. } => "updated",
        ItemResult::Accepted { status: ItemStatus::Unchanged, .. } => "unchanged",
        ItemResult::Rejected(refusal) => refusal.code.as_str(),
    };
    report.results.iter().map(word).collect()
}

#[tokio::test]
async fn every_item_gets_its_result_in_order_over_many_batches() {
    let store = MemoryStore::with(person());
    let items = |count: i64| -> Vec<_> {
        let item =
            |at| if at % 5 == 2 { rejected() } else { accepted(session(derived(at * 10, at * 10 + 9))) };
        (0..count).map(item).collect()
    };
    let report = ingest(&store, items(4_803)).await;
    assert_eq!((report.created, report.rejected, report.results.len()), (3_842, 961, 4_803));
    for (position, word) in words(&report).into_iter().enumerate() {
        assert_eq!(word, if position % 5 == 2 { "missing_member" } else { "created" }, "{position}");
    }
    let again = ingest(&store, items(4_803)).await;
    assert_eq!((again.unchanged, again.created, again.rejected), (3_842, 0, 961));
    assert_eq!(store.sessions().len(), 3_842);
}

#[tokio::test]
async fn a_duplicate_item_in_a_batch_is_stored_once_and_has_two_results() {
    let store = MemoryStore::with(person());
    let item = || accepted(session(keyed("7", 0, 480)));
    let report = ingest(&store, vec![item(), item(), accepted(session(keyed("7", 0, 490)))]).await;
    assert_eq!(words(&report), ["created", "unchanged", "updated"]);
    assert_eq!(store.sessions().len(), 1);
}

#[tokio::test]
async fn an_item_rejected_by_the_store_has_a_code_and_a_member() {
    let store = MemoryStore::with(person());
    ingest(
        &store,
        vec![accepted(own_session(1, keyed("7", 0, 480))), accepted(own_session(2, keyed("8", 500, 900)))],
    )
    .await;
    let of_two = accepted(own_session(1, keyed("8", 500, 900)));
    let unknown = accepted(log(intake(supplement_id(9), 0, 1.0, None)));
    let no_code = accepted(log_by_code("12345678", intake(supplement_id(9), 0, 1.0, None)));
    let ahead = (noon() - minute(0)).num_minutes() + 24 * 60 + 1;
    let late_night = accepted(session(derived(ahead - 480, ahead)));
    let late_log = accepted(log(intake(supplement_id(9), ahead, 1.0, None)));
    let report = ingest(&store, vec![unknown, of_two, no_code, late_night, late_log]).await;
    let statuses = report.results.iter().map(|result| match result {
        ItemResult::Rejected(refusal) => (refusal.code, refusal.field),
        ItemResult::Accepted { .. } => panic!("{result:?}"),
    });
    let expected = [
        (ItemCode::UnknownSupplement, Some("supplement_id")),
        (ItemCode::IdConflict, Some("id")),
        (ItemCode::UnknownSupplement, Some("upc")),
        (ItemCode::InvalidMember, Some("time_in_bed_end")),
        (ItemCode::InvalidMember, Some("created_at")),
    ];
    assert_eq!(statuses.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn an_id_of_a_label_under_another_catalogues_key_rejects_this_item_only() {
    let store = MemoryStore::with(person());
    ingest(&store, vec![accepted(own_supplement(4, "17", "Magnesium"))]).await;
    let stored = store.current(&key("17"));
    for (name, others) in [("Magnesium", "19"), ("Zinc", "20")] {
        let conflicting = accepted(own_supplement(4, "18", name));
        let report = ingest(&store, vec![conflicting, accepted(supplement(others, "Iron"))]).await;
        assert_eq!(words(&report), ["id_conflict", "created"]);
        assert_eq!(store.current(&key("17")), stored);
    }
    assert_eq!(store.content().supplements.len(), 3);
}

#[tokio::test]
async fn items_stored_before_a_failure_of_the_store_are_kept() {
    let store = MemoryStore::with(person());
    let items: Vec<_> = (0..4_000).map(|at| accepted(session(derived(at * 10, at * 10 + 9)))).collect();
    store.pass("commit");
    store.fail("commit", StorageError::Unavailable);
    let failed = run(&store, user_id(1), Items { items: items.clone(), counted: Ok(4_000) }).await;
    assert!(matches!(failed, Err(IngestError::Storage(StorageError::Unavailable))));
    assert_eq!(store.sessions().len(), 2_000);
    let report = ingest(&store, items).await;
    assert_eq!((report.unchanged, report.created), (2_000, 2_000));
}

#[tokio::test]
async fn users_and_profiles_are_tried_five_times_against_other_writers() {
    let profile = profile(ImportedProfile { biology: tall(170), ..ImportedProfile::default() });
    for (content, expected) in [
        (IngestContent::User(Box::new(newcomer("sam@example.org"))), "created"),
        (IngestContent::Record(profile), "updated"),
    ] {
        let item = IngestItem { content: Ok(content), notes: Vec::new() };
        let store = MemoryStore::with(person());
        for _ in 0..4 {
            store.fail("commit bookkeeping", StorageError::Retryable);
        }
        assert_eq!(words(&ingest(&store, vec![item.clone()]).await), [expected]);
        assert_eq!(store.calls().count("commit bookkeeping"), 5);
        for _ in 0..5 {
            store.fail("commit bookkeeping", StorageError::Retryable);
        }
        let outcome = run(&store, user_id(1), Items { items: vec![item], counted: Ok(1) }).await;
        assert!(matches!(outcome, Err(IngestError::Storage(StorageError::Retryable))), "{outcome:?}");
        assert_eq!(store.calls().count("commit bookkeeping"), 10);
    }
}

#[tokio::test]
async fn a_birth_date_in_the_future_is_rejected_and_other_items_are_stored() {
    let store = MemoryStore::with(person());
    let IngestedUser { email, .. } = newcomer("sam@example.org");
    let born = |biology| {
        [
            IngestContent::User(Box::new(IngestedUser { biology, ..newcomer("sam@example.org") })),
            IngestContent::Record(profile(ImportedProfile { biology, ..ImportedProfile::default() })),
        ]
    };
    let items = born(born_tomorrow_but_one()).into_iter().chain(born(tall(170)));
    let items = items.map(|content| IngestItem { content: Ok(content), notes: Vec::new() });
    let report = ingest(&store, items.collect()).await;
    assert_eq!(words(&report), ["invalid_member", "invalid_member", "created", "updated"]);
    for rejected in &report.results[..2] {
        let ItemResult::Rejected(refusal) = rejected else { panic!("{rejected:?}") };
        assert_eq!(
            (refusal.field, refusal.detail.as_str()),
            (Some("birth_date"), "birth date is in the future")
        );
    }
    assert!(store.content().users.iter().any(|user| user.email == email && user.biology == tall(170)));
}

fn newcomer(email: &str) -> IngestedUser {
    let home_timezone = Some(domain::time::TimeZone::UTC);
    let email = domain::user::Email::parse(email).unwrap();
    IngestedUser { id: None, email, home_timezone, biology: domain::user::Biology::default() }
}

#[tokio::test]
async fn only_the_item_at_fault_is_refused_when_a_batch_conflicts() {
    let store = MemoryStore::with(person());
    for _ in 0..6 {
        store.fail("sleep.insert", StorageError::Conflict(UniqueKey::SleepSession));
    }
    let report =
        ingest(&store, vec![accepted(session(derived(0, 9))), accepted(session(derived(10, 19)))]).await;
    assert_eq!(words(&report), ["created", "created"]);
    for _ in 0..10 {
        store.fail("sleep.insert", StorageError::Conflict(UniqueKey::SleepSession));
    }
    let report =
        ingest(&store, vec![accepted(session(derived(20, 29))), accepted(session(derived(30, 39)))]).await;
    assert_eq!(words(&report), ["id_conflict", "created"]);
}

#[tokio::test]
async fn a_rejected_body_stores_nothing() {
    let store = MemoryStore::with(person());
    let items = || vec![accepted(session(derived(0, 9)))];
    let too_many = run(&store, user_id(1), Items { items: items(), counted: Ok(MAX_ITEMS + 1) }).await;
    assert!(matches!(too_many, Err(IngestError::TooManyItems)));
    let refusal = ImportRefusal::Unreadable("cut off".to_owned());
    let cut_off = run(&store, user_id(1), Items { items: items(), counted: Err(refusal.clone()) }).await;
    assert!(matches!(cut_off, Err(IngestError::Malformed(error)) if error == refusal));
    let nobody = run(&store, user_id(2), Items { items: items(), counted: Ok(1) }).await;
    assert!(matches!(nobody, Err(IngestError::UnknownUser)));
    assert!(store.sessions().is_empty());
    let most = run(&store, user_id(1), Items { items: items(), counted: Ok(MAX_ITEMS) }).await;
    assert_eq!(most.unwrap().created, 1);
}

#[tokio::test]
async fn a_person_erased_during_ingest_is_reported_as_unknown() {
    let items = |count: i64| -> Vec<_> {
        (0..count).map(|at| accepted(session(derived(at * 10, at * 10 + 9)))).collect()
    };
    // Before the first batch, and between the two.
    for (at, count) in [("profile found", 1), ("committed", 4_000)] {
        let store = MemoryStore::with(person());
        store.change_concurrently(at, Content::erase_people);
        let outcome = run(&store, user_id(1), Items { items: items(count), counted: Ok(1) }).await;
        assert!(matches!(outcome, Err(IngestError::UnknownUser)), "{at}");
        assert!(store.sessions().is_empty(), "{at}");
    }
}

#[tokio::test]
async fn an_item_of_another_person_is_rejected_with_that_reason() {
    let store = MemoryStore::with(person());
    let refusal = ItemRefusal {
        code: ItemCode::OtherUser,
        field: Some("user_id"),
        detail: "user_id names another person".to_owned(),
    };
    let of_another = IngestItem { content: Err(refusal), notes: Vec::new() };
    let report = ingest(&store, vec![of_another, accepted(session(derived(0, 9)))]).await;
    assert_eq!(words(&report), ["other_user", "created"]);
    assert_eq!(store.sessions().len(), 1);
}

#[tokio::test]
async fn the_notes_of_an_item_are_returned_with_it() {
    let store = MemoryStore::with(person());
    let noted =
        IngestItem { notes: vec!["one".to_owned(), "two".to_owned()], ..accepted(session(derived(0, 9))) };
    let report = ingest(&store, vec![noted]).await;
    assert!(
        matches!(&report.results[0], ItemResult::Accepted { detail: Some(detail), .. } if detail == "one; two")
    );
}

#[tokio::test]
async fn a_claim_is_abandoned_after_five_minutes_and_forgotten_after_a_day() {
    let request = IdempotentRequest { client_id: client_id(1), key: [1; 32], content: [2; 32] };
    let mut store = MockIdempotencyStore::new();
    store.expect_claim().once().return_once(move |_, now, abandoned_before, expired_before| {
        assert_eq!(now, noon());
        assert_eq!((now - abandoned_before).num_minutes(), 5);
        assert_eq!(now - expired_before, RESPONSE_RETENTION);
        Ok(Claim::Acquired)
    });
    assert_eq!(
        IdempotentRequests::new(Arc::new(store), clock()).begin(request).await.unwrap(),
        Claim::Acquired
    );
}

/// The audit event of a writing backend.
fn wrote(kind: AuditKind) -> AuditEvent {
    event(AuditActor::Client, kind).client(client_id(1))
}

#[tokio::test]
async fn a_writing_backend_records_an_event_per_kind_of_record() {
    let store = MemoryStore::with(person());
    ingest(&store, vec![accepted(session(derived(0, 9)))]).await;
    let mut expected = vec![wrote(AuditKind::SleepWritten).user(user_id(1))];
    assert_events(store.events(), &expected);
    let magnesium = accepted(supplement("17", "Magnesium"));
    ingest(&store, vec![magnesium]).await;
    expected.push(wrote(AuditKind::LabelsWritten));
    assert_events(store.events(), &expected);
    let id = store.content().supplements[0].1.id;
    ingest(&store, vec![accepted(log(intake(id, 0, 1.0, None)))]).await;
    expected.push(wrote(AuditKind::IntakeLogsWritten).user(user_id(1)));
    assert_events(store.events(), &expected);
}

#[tokio::test]
async fn a_thousand_batches_in_a_day_record_one_event() {
    let store = MemoryStore::with(person());
    let items = (0..3 * 2_000).map(|at| accepted(session(derived(at * 10, at * 10 + 9)))).collect();
    ingest(&store, items).await;
    for at in 6_000..6_010 {
        ingest(&store, vec![accepted(session(derived(at * 10, at * 10 + 9)))]).await;
    }
    assert_events(store.events(), &[wrote(AuditKind::SleepWritten).user(user_id(1))]);
}

#[tokio::test]
async fn a_backend_that_changes_nothing_stores_no_event() {
    let store = MemoryStore::with(person());
    import_file(&store, of_person(), &ItemFile::new(vec![session(derived(0, 9))])).await.unwrap();
    let before = store.events().all();
    let report = ingest(&store, vec![accepted(session(derived(0, 9))), rejected()]).await;
    assert_eq!(words(&report), ["unchanged", "missing_member"]);
    assert_eq!(store.events().all(), before);
}

#[tokio::test]
async fn a_batch_whose_commit_fails_records_its_event_on_the_next_try() {
    let store = MemoryStore::with(person());
    let items = || vec![accepted(session(derived(0, 9)))];
    let ingest = records(&store, Items { items: items(), counted: Ok(1) });
    let shape =
        IngestShape { kind: IngestKind::Sleep, layout: IngestLayout::Json, user_id: Some(user_id(1)) };
    let command = IngestCommand { client_id: client_id(1), shape };
    store.fail("commit", StorageError::Unavailable);
    assert!(ingest.run(command, &NoBytes).await.is_err());
    // Uncommitted events are not remembered, so the event is appended again.
    store.events().forget();
    assert_eq!(ingest.run(command, &NoBytes).await.unwrap().created, 1);
    assert_events(store.events(), &[wrote(AuditKind::SleepWritten).user(user_id(1))]);
}
