//! Changes made by imports, and undoing them.

use crate::Harness;
use crate::fixture::{
    added, catalogue_key, changed, import, import_id, keyed_log, log, log_id, now, persons_import, seconds,
    session, session_id, supplement, supplement_id, user, user_id,
};
use crate::service::audited;
use application::import::{Imports, KeptItem, KeptReason, UndoCounts, Undone};
use application::ports::storage::{
    Import, ImportChange, JournalEntry, RecordBefore, RecordReference, RecordVersion, UnitOfWork,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::import::ImportState;
use domain::sleep::SleepSession;
use std::sync::Arc;

mod history;

pub(crate) use history::imports_undone_latest_first_restore_the_state_before_each;

/// Stores a person, two labels, and three imports.
async fn prepare(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    for number in [1, 2] {
        unit.supplements().insert(&[(catalogue_key(number), supplement(number))]).await.unwrap();
    }
    for number in [1, 2, 3] {
        unit.imports().insert(&persons_import(number)).await.unwrap();
    }
    unit.commit().await.unwrap();
}

fn slept(number: u64) -> RecordReference {
    RecordReference::Session(session_id(number))
}

fn was_session(session: SleepSession) -> RecordBefore {
    RecordBefore::Session(Box::new(session))
}

fn version(session: &SleepSession) -> RecordVersion {
    RecordVersion::of_session(&session.record)
}

async fn note(unit: &mut dyn UnitOfWork, import: u64, changes: &[ImportChange]) {
    unit.import_journal().note(import_id(import), Some(user_id(1)), changes).await.unwrap();
}

async fn entries(harness: &Harness, import: u64) -> Vec<JournalEntry> {
    harness.begin().await.import_journal().list_entries(import_id(import), None, 100).await.unwrap()
}

async fn changes(harness: &Harness, import: u64) -> Vec<ImportChange> {
    entries(harness, import).await.into_iter().map(|note| note.change).collect()
}

/// Stores a session for an import, added or changed.
async fn import_session(
    harness: &Harness,
    import: u64,
    session: &SleepSession,
    before: Option<SleepSession>,
) {
    let mut unit = harness.begin().await;
    if before.is_some() {
        assert!(unit.sleep().update(user_id(1), session).await.unwrap());
    } else {
        unit.sleep().insert(user_id(1), std::slice::from_ref(session)).await.unwrap();
    }
    let (left, before) = (version(session), before.map(was_session));
    let change = ImportChange { before, ..added(RecordReference::Session(session.id), left) };
    note(unit.as_mut(), import, &[change]).await;
    unit.commit().await.unwrap();
}

pub(crate) fn imports(harness: &Harness) -> Imports {
    let (reader, profiles) = (harness.imports.clone(), harness.profiles.clone());
    Imports { store: audited(harness), reader, profiles }
}

async fn undo(harness: &Harness, import: u64) -> Undone {
    imports(harness).undo(import_id(import), None).await.unwrap()
}

pub(crate) async fn a_change_reads_back_whatever_record_it_is_about(harness: &Harness) {
    prepare(harness).await;
    let keyed = keyed_log(1, 2, now(), Some("ü'\"\\"));
    let left = RecordVersion::from_bytes([0xfe; 16]);
    let label = RecordBefore::Label(Box::new((catalogue_key(1), supplement(1))));
    let mut expected = vec![
        added(slept(1), left),
        changed(slept(2), was_session(session(2, 600)), left),
        ImportChange {
            left: None,
            replaced_by: Some(session_id(2)),
            ..changed(slept(3), was_session(session(3, 700)), left)
        },
        changed(RecordReference::Log(log_id(1)), RecordBefore::Log(Box::new(keyed)), left),
        changed(RecordReference::Label(supplement_id(1)), label, left),
    ];
    let mut unit = harness.begin().await;
    note(unit.as_mut(), 1, &expected).await;
    unit.commit().await.unwrap();
    // The latest first, labels last.
    expected[..4].reverse();
    assert_eq!(changes(harness, 1).await, expected);
    assert!(harness.imports.has_notes(import_id(1)).await.unwrap());
    assert!(!harness.imports.has_notes(import_id(2)).await.unwrap());
    let mut unit = harness.begin().await;
    let journal = unit.import_journal();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = journal.list_entries(import_id(1), after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 2);
        after = Some(last.place);
        found.extend(page.into_iter().map(|note| note.change));
    }
    assert_eq!(found, expected);
    journal.forget(import_id(1), &[slept(2), slept(3), slept(9)]).await.unwrap();
    let left = journal.list_entries(import_id(1), None, 9).await.unwrap();
    let records: Vec<_> = left.iter().map(|note| note.change.record).collect();
    assert_eq!(records, [expected[0].record, slept(1), expected[4].record]);
}

pub(crate) async fn the_first_state_found_by_an_import_stays_noted_unless_changed_otherwise(
    harness: &Harness,
) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    import_session(harness, 1, &session(1, 60), Some(session(1, 0))).await;
    import_session(harness, 1, &session(1, 120), Some(session(1, 60))).await;
    let first = changed(slept(1), was_session(session(1, 0)), version(&session(1, 120)));
    assert_eq!(changes(harness, 1).await, [first]);
    assert!(commit!(harness, sleep().update(user_id(1), &session(1, 180))));
    import_session(harness, 1, &session(1, 240), Some(session(1, 180))).await;
    let since = changed(slept(1), was_session(session(1, 180)), version(&session(1, 240)));
    assert_eq!(changes(harness, 1).await, [since]);
    // A session that the import added itself stays noted as added, even if several are noted at once; it
    // moves to the end.
    import_session(harness, 2, &session(7, 600), None).await;
    let seven = changed(slept(7), was_session(session(7, 600)), version(&session(7, 700)));
    let mut unit = harness.begin().await;
    let eight = added(slept(8), version(&session(8, 900)));
    note(unit.as_mut(), 2, std::slice::from_ref(&eight)).await;
    note(unit.as_mut(), 2, &[seven]).await;
    unit.commit().await.unwrap();
    assert_eq!(changes(harness, 2).await, [added(slept(7), version(&session(7, 700))), eight]);
}

pub(crate) async fn the_import_that_changed_a_record_last_is_named(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    import_session(harness, 2, &session(1, 0), None).await;
    import_session(harness, 3, &session(1, 60), Some(session(1, 0))).await;
    import_session(harness, 1, &session(1, 120), Some(session(1, 60))).await;
    // Another person's record with the same id does not matter.
    let mut unit = harness.begin().await;
    unit.imports().insert(&Import { user_id: Some(user_id(2)), ..persons_import(9) }).await.unwrap();
    let change = added(slept(1), version(&session(1, 0)));
    unit.import_journal().note(import_id(9), Some(user_id(2)), &[change]).await.unwrap();
    unit.commit().await.unwrap();
    for (import, by) in [(2, Some(1)), (3, Some(1)), (1, None), (9, None)] {
        let by = by.map(import_id);
        assert_eq!(entries(harness, import).await[0].changed_by, by, "{import}");
    }
    let kept = undo(harness, 2).await;
    let what = (kept.kept[0].what, kept.kept[0].why);
    assert_eq!(what, (KeptItem::Session(session_id(1)), KeptReason::ChangedBy(import_id(1))));
    let found = harness.begin().await.imports().find(import_id(2)).await.unwrap().unwrap();
    assert_eq!((found.state, found.undone), (ImportState::Undone, kept));
    for import in [1, 3] {
        assert_eq!(undo(harness, import).await.counts, UndoCounts { removed: 0, restored: 1, kept: 0 });
    }
    assert_eq!(undo(harness, 2).await.counts, UndoCounts { removed: 1, restored: 0, kept: 0 });
}

pub(crate) async fn the_import_of_a_session_is_the_last_that_left_one(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    import_session(harness, 2, &session(1, 0), None).await;
    import_session(harness, 1, &session(1, 60), Some(session(1, 0))).await;
    let mut unit = harness.begin().await;
    unit.imports().insert(&Import { user_id: Some(user_id(2)), ..persons_import(9) }).await.unwrap();
    let theirs = added(slept(1), version(&session(1, 0)));
    unit.import_journal().note(import_id(9), Some(user_id(2)), &[theirs]).await.unwrap();
    let removed = changed(slept(1), was_session(session(1, 60)), version(&session(1, 60)));
    note(unit.as_mut(), 3, &[ImportChange { left: None, ..removed }]).await;
    unit.commit().await.unwrap();
    let find = async |person, session| {
        harness.imports.find_import_of_session(user_id(person), session_id(session)).await.unwrap()
    };
    assert_eq!(find(1, 1).await, Some(import_id(1)));
    assert_eq!(find(2, 1).await, Some(import_id(9)));
    assert_eq!((find(1, 2).await, find(3, 1).await), (None, None));
}

pub(crate) async fn a_label_of_a_catalogue_is_undone_unless_it_is_in_use(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.imports().insert(&import(4)).await.unwrap();
    let mut changes = Vec::new();
    for number in [8, 9] {
        let label = supplement(number);
        unit.supplements().insert(&[(catalogue_key(number), label.clone())]).await.unwrap();
        let version = RecordVersion::of_label(&label.label);
        changes.push(added(RecordReference::Label(label.id), version));
    }
    unit.import_journal().note(import_id(4), None, &changes).await.unwrap();
    unit.intake_logs().insert(user_id(1), &[log(1, 8, now())]).await.unwrap();
    unit.commit().await.unwrap();
    let undone = undo(harness, 4).await;
    assert_eq!(undone.counts, UndoCounts { removed: 1, restored: 0, kept: 1 });
    assert_eq!(
        (undone.kept[0].what, undone.kept[0].why),
        (KeptItem::Label(supplement_id(8)), KeptReason::InUse)
    );
}

pub(crate) async fn an_undo_that_two_servers_resume_at_once_is_finished_once(harness: &Harness) {
    prepare(harness).await;
    for number in 1..=50 {
        import_session(harness, 1, &session(number, 600 * i64::try_from(number).unwrap()), None).await;
    }
    let undoing = Import { state: ImportState::Undoing, ended_at: Some(now()), ..persons_import(1) };
    let ever: DateTime<Utc> = "9000-01-01T00:00:00Z".parse().unwrap();
    let mut unit = harness.begin().await;
    assert!(unit.imports().update(&undoing).await.unwrap());
    assert_eq!(unit.import_journal().forget_before(ever, 9).await.unwrap(), 0);
    unit.commit().await.unwrap();
    let imports = Arc::new(imports(harness));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let imports = imports.clone();
            tokio::spawn(async move { imports.undo(import_id(1), None).await })
        })
        .collect();
    for task in tasks {
        // The second undo may find the import already undone.
        task.await.unwrap().ok();
    }
    let mut unit = harness.begin().await;
    let found = unit.imports().find(import_id(1)).await.unwrap().unwrap();
    let counts = UndoCounts { removed: 50, restored: 0, kept: 0 };
    assert_eq!((found.state, found.undone.counts), (ImportState::Undone, counts));
}

pub(crate) async fn notes_of_imports_that_ended_are_forgotten_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    let ended = |number, at| {
        let state = ImportState::Done;
        Import { ended_at: Some(seconds(at)), state, ..persons_import(number) }
    };
    let waiting = Import { state: ImportState::Waiting, ..persons_import(3) };
    let left = version(&session(1, 0));
    for (number, import) in [(1, ended(1, 5)), (2, ended(2, 9)), (3, waiting)] {
        note(unit.as_mut(), number, &[1, 2, 3].map(|session| added(slept(session), left))).await;
        assert!(unit.imports().update(&import).await.unwrap());
    }
    let journal = unit.import_journal();
    assert_eq!(journal.forget_before(seconds(5), 9).await.unwrap(), 0);
    assert_eq!(journal.forget_before(seconds(6), 2).await.unwrap(), 2);
    assert_eq!(journal.list_entries(import_id(1), None, 9).await.unwrap().len(), 1);
    assert_eq!(journal.forget_before(seconds(6), 2).await.unwrap(), 1);
    assert_eq!(journal.forget_before(seconds(99), 9).await.unwrap(), 3);
    unit.commit().await.unwrap();
    assert!(!harness.imports.has_notes(import_id(1)).await.unwrap());
    assert!(harness.imports.has_notes(import_id(3)).await.unwrap());
}

pub(crate) async fn notes_of_interrupted_imports_are_deleted(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    let started_at = now() - TimeDelta::days(1);
    let interrupted = |number| Import { state: ImportState::Running, started_at, ..persons_import(number) };
    for number in [11, 12] {
        unit.imports().insert(&interrupted(number)).await.unwrap();
        note(unit.as_mut(), number, &[added(slept(1), version(&session(1, 0)))]).await;
    }
    // One of them was updated since, at a time of the store's clock.
    assert!(unit.imports().update(&interrupted(12)).await.unwrap());
    let journal = unit.import_journal();
    assert_eq!(journal.forget_before(started_at, 9).await.unwrap(), 0);
    assert_eq!(journal.forget_before(seconds(0), 9).await.unwrap(), 1);
    assert_eq!(journal.list_entries(import_id(11), None, 9).await.unwrap(), []);
    assert_eq!(journal.list_entries(import_id(12), None, 9).await.unwrap().len(), 1);
    let ever: DateTime<Utc> = "9000-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(journal.forget_before(ever, 9).await.unwrap(), 1);
}
