//! What imports did, and how it is taken back.

use crate::Harness;
use crate::fixture::{
    catalogue_key, changed, full_user, import, import_id, keyed_log, log, log_id, made, now, persons_import,
    seconds, session, session_id, supplement, supplement_id, user, user_id,
};
use application::ports::storage::{
    Import, ImportChange, RecordBefore, RecordReference, Standing, UnitOfWork,
};
use domain::import::ImportState;
use domain::sleep::SleepSession;
use domain::supplement::IntakeLog;
use domain::user::User;

mod history;
mod nights;
mod overtaken;
mod undo;

pub(crate) use history::*;
pub(crate) use nights::*;
pub(crate) use overtaken::*;
pub(crate) use undo::imports_undone_in_any_order_leave_what_the_others_made;

/// Stores a person, two labels, and three imports.
async fn prepare(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    for number in [1, 2] {
        unit.supplements().insert(&catalogue_key(number), &supplement(number)).await.unwrap();
    }
    for number in [1, 2, 3] {
        unit.imports().insert(&persons_import(number)).await.unwrap();
    }
    unit.commit().await.unwrap();
}

fn slept(number: u64) -> RecordReference {
    RecordReference::Session(session_id(number))
}

fn took(number: u64) -> RecordReference {
    RecordReference::Log(log_id(number))
}

fn labelled(number: u64) -> RecordReference {
    RecordReference::Label(supplement_id(number))
}

const fn profile(person: &User) -> RecordReference {
    RecordReference::Profile(person.id)
}

fn was_session(session: SleepSession) -> RecordBefore {
    RecordBefore::Session(Box::new(session))
}

fn was_log(log: IntakeLog) -> RecordBefore {
    RecordBefore::Log(Box::new(log))
}

fn was_label(key: u64, number: u64) -> RecordBefore {
    RecordBefore::Label(Box::new((catalogue_key(key), supplement(number))))
}

async fn note(unit: &mut dyn UnitOfWork, import: u64, changes: &[ImportChange]) {
    unit.imports().note(import_id(import), Some(user_id(1)), changes).await.unwrap();
}

async fn noted(harness: &Harness, import: u64) -> Vec<(ImportChange, Standing)> {
    harness.begin().await.imports().noted(import_id(import), 100).await.unwrap()
}

/// How the one record stands that an import noted.
async fn standing(harness: &Harness, import: u64) -> Standing {
    let noted = noted(harness, import).await;
    assert_eq!(noted.len(), 1);
    noted[0].1
}

/// Stores a session in the name of an import.
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
    let record = RecordReference::Session(session.id);
    let change = ImportChange { record, before: before.map(was_session) };
    note(unit.as_mut(), import, &[change]).await;
    unit.commit().await.unwrap();
}

async fn update_session(harness: &Harness, session: &SleepSession) {
    let mut unit = harness.begin().await;
    assert!(unit.sleep().update(user_id(1), session).await.unwrap());
    unit.commit().await.unwrap();
}

async fn forget(harness: &Harness, import: u64, record: RecordReference) {
    let mut unit = harness.begin().await;
    unit.imports().forget(import_id(import), record).await.unwrap();
    unit.commit().await.unwrap();
}

pub(crate) async fn what_a_record_was_reads_back_whatever_record_it_is(harness: &Harness) {
    prepare(harness).await;
    let person = full_user(1);
    let changes = [
        made(slept(1)),
        changed(slept(2), was_session(session(2, 600))),
        changed(took(1), was_log(keyed_log(1, 2, now(), Some("ü'\"\\")))),
        changed(profile(&person), RecordBefore::Profile(Box::new(person.clone()))),
        changed(labelled(1), was_label(1, 1)),
    ];
    let mut unit = harness.begin().await;
    note(unit.as_mut(), 1, &changes).await;
    unit.commit().await.unwrap();
    let mut found: Vec<_> = noted(harness, 1).await.into_iter().map(|(change, _)| change).collect();
    for change in &changes {
        let index = found.iter().position(|other| other == change);
        found.swap_remove(index.unwrap_or_else(|| panic!("{change:?} in {found:?}")));
    }
    assert_eq!(found, []);
    let mut unit = harness.begin().await;
    assert!(unit.imports().has_notes(import_id(1)).await.unwrap());
    assert!(!unit.imports().has_notes(import_id(2)).await.unwrap());
    assert_eq!(unit.imports().noted(import_id(1), 2).await.unwrap().len(), 2);
}

pub(crate) async fn what_was_first_there_stays_noted(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    import_session(harness, 1, &session(1, 60), Some(session(1, 0))).await;
    import_session(harness, 1, &session(1, 120), Some(session(1, 60))).await;
    let first = changed(slept(1), was_session(session(1, 0)));
    assert_eq!(noted(harness, 1).await, [(first, Standing::Latest)]);
    import_session(harness, 2, &session(2, 600), None).await;
    import_session(harness, 2, &session(2, 700), Some(session(2, 600))).await;
    assert_eq!(noted(harness, 2).await, [(made(slept(2)), Standing::Latest)]);
    // Also of several that were made, one of them before.
    for numbers in [[7, 8], [7, 9]] {
        let mut unit = harness.begin().await;
        note(unit.as_mut(), 3, &numbers.map(|number| made(slept(number)))).await;
        unit.commit().await.unwrap();
    }
    let several = noted(harness, 3).await.into_iter().map(|(change, _)| change);
    assert_eq!(several.collect::<Vec<_>>(), [9, 7, 8].map(|number| made(slept(number))));
}

pub(crate) async fn what_is_noted_is_told_latest_first_and_labels_last(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.supplements().insert(&catalogue_key(8), &supplement(8)).await.unwrap();
    note(unit.as_mut(), 1, &[made(labelled(8))]).await;
    unit.intake_logs().insert(user_id(1), &[log(1, 8, now())]).await.unwrap();
    note(unit.as_mut(), 1, &[made(took(1))]).await;
    // The log keeps the version that it points at, so that another one takes its place; ids say nothing of order.
    unit.supplements().replace(supplement_id(8), &catalogue_key(8), &supplement(7)).await.unwrap();
    note(unit.as_mut(), 1, &[changed(labelled(7), was_label(8, 8))]).await;
    unit.sleep().insert(user_id(1), &[session(1, 0)]).await.unwrap();
    note(unit.as_mut(), 1, &[made(slept(1))]).await;
    unit.supplements().replace(supplement_id(7), &catalogue_key(8), &supplement(9)).await.unwrap();
    note(unit.as_mut(), 1, &[changed(labelled(9), was_label(8, 7))]).await;
    assert!(unit.users().update(&user(1)).await.unwrap());
    let person = RecordBefore::Profile(Box::new(user(1)));
    note(unit.as_mut(), 1, &[changed(profile(&user(1)), person)]).await;
    unit.commit().await.unwrap();
    let records: Vec<_> = noted(harness, 1).await.into_iter().map(|(change, _)| change.record).collect();
    let expected = [profile(&user(1)), slept(1), took(1), labelled(9), labelled(7), labelled(8)];
    assert_eq!(records, expected);
}

pub(crate) async fn a_record_stands_as_the_import_left_it_until_something_changes_it(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    let mut unit = harness.begin().await;
    unit.sleep().insert(user_id(1), &[session(1, 0)]).await.unwrap();
    unit.intake_logs().delete(user_id(1), &[log_id(1)]).await.unwrap();
    unit.users().update(&user(1)).await.unwrap();
    note(unit.as_mut(), 1, &[made(slept(1))]).await;
    note(unit.as_mut(), 2, &[changed(took(1), was_log(log(1, 1, now())))]).await;
    note(unit.as_mut(), 3, &[changed(profile(&user(1)), RecordBefore::Profile(Box::new(user(1))))]).await;
    unit.commit().await.unwrap();
    // Other records of the person do not matter.
    harness.store_sessions(user_id(1), &[session(2, 600)]).await;
    for import in [1, 2, 3] {
        assert_eq!(standing(harness, import).await, Standing::Latest, "{import}");
    }
    let mut unit = harness.begin().await;
    unit.sleep().delete(user_id(1), &[session_id(1)]).await.unwrap();
    unit.intake_logs().insert(user_id(1), &[log(1, 1, now())]).await.unwrap();
    unit.users().update(&user(1)).await.unwrap();
    unit.commit().await.unwrap();
    for import in [1, 2, 3] {
        assert_eq!(standing(harness, import).await, Standing::Overtaken, "{import}");
    }
}

pub(crate) async fn a_later_import_is_named_and_the_next_one_of_several(harness: &Harness) {
    prepare(harness).await;
    import_session(harness, 2, &session(1, 0), None).await;
    import_session(harness, 3, &session(1, 60), Some(session(1, 0))).await;
    import_session(harness, 1, &session(1, 120), Some(session(1, 60))).await;
    assert_eq!(standing(harness, 2).await, Standing::ChangedBy(import_id(3)));
    assert_eq!(standing(harness, 3).await, Standing::ChangedBy(import_id(1)));
    assert_eq!(standing(harness, 1).await, Standing::Latest);
    let mut unit = harness.begin().await;
    unit.imports().rebase(import_id(3), slept(1), None).await.unwrap();
    unit.imports().forget(import_id(2), slept(1)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(noted(harness, 2).await, []);
    assert_eq!(noted(harness, 3).await, [(made(slept(1)), Standing::ChangedBy(import_id(1)))]);
    assert_eq!(standing(harness, 1).await, Standing::Latest);
}

pub(crate) async fn a_forgotten_change_leaves_the_record_to_the_import_before(harness: &Harness) {
    prepare(harness).await;
    import_session(harness, 1, &session(1, 0), None).await;
    import_session(harness, 2, &session(1, 60), Some(session(1, 0))).await;
    update_session(harness, &session(1, 0)).await;
    forget(harness, 2, slept(1)).await;
    assert_eq!(standing(harness, 1).await, Standing::Latest);
    // What was never noted is forgotten without harm.
    forget(harness, 2, slept(1)).await;
    forget(harness, 2, slept(9)).await;
    assert_eq!(standing(harness, 1).await, Standing::Latest);
}

pub(crate) async fn what_something_else_changed_stays_overtaken_when_another_note_goes(harness: &Harness) {
    prepare(harness).await;
    import_session(harness, 1, &session(1, 0), None).await;
    import_session(harness, 2, &session(1, 60), Some(session(1, 0))).await;
    import_session(harness, 3, &session(1, 120), Some(session(1, 60))).await;
    update_session(harness, &session(1, 500)).await;
    assert_eq!(standing(harness, 3).await, Standing::Overtaken);
    // The first import is taken back: nothing was done to the record.
    forget(harness, 1, slept(1)).await;
    assert_eq!(standing(harness, 3).await, Standing::Overtaken);
    // The third one is given up: the record stays as something else left it.
    let mut unit = harness.begin().await;
    unit.imports().leave(import_id(3), slept(1)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(noted(harness, 3).await, []);
    assert_eq!(standing(harness, 2).await, Standing::Overtaken);
}

pub(crate) async fn a_label_stands_until_it_is_overwritten_or_gone(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.imports().insert(&import(4)).await.unwrap();
    unit.supplements().insert(&catalogue_key(8), &supplement(8)).await.unwrap();
    assert!(unit.supplements().update(&supplement(1)).await.unwrap());
    let changes = [made(labelled(8)), changed(labelled(1), was_label(1, 1))];
    // Of a catalogue, which is nobody's.
    unit.imports().note(import_id(4), None, &changes).await.unwrap();
    unit.commit().await.unwrap();
    let expected = [(changes[1].clone(), Standing::Latest), (changes[0].clone(), Standing::Latest)];
    assert_eq!(noted(harness, 4).await, expected);
    let mut unit = harness.begin().await;
    assert!(unit.supplements().update(&supplement(1)).await.unwrap());
    note(unit.as_mut(), 2, &[changed(labelled(1), was_label(1, 1))]).await;
    assert!(unit.supplements().retract(supplement_id(8), None).await.unwrap());
    unit.commit().await.unwrap();
    let standings: Vec<_> = noted(harness, 4).await.into_iter().map(|(_, standing)| standing).collect();
    assert_eq!(standings, [Standing::ChangedBy(import_id(2)), Standing::Overtaken]);
}

pub(crate) async fn notes_of_imports_that_ended_are_forgotten_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    let sessions = [session(1, 0), session(2, 600), session(3, 1200)];
    let mut unit = harness.begin().await;
    unit.sleep().insert(user_id(1), &sessions).await.unwrap();
    let ended = |number, at| {
        let state = ImportState::Done;
        Import { ended_at: Some(seconds(at)), state, ..persons_import(number) }
    };
    let waiting = Import { state: ImportState::Waiting, ..persons_import(3) };
    for (number, import) in [(1, ended(1, 5)), (2, ended(2, 9)), (3, waiting)] {
        note(unit.as_mut(), number, &[made(slept(1)), made(slept(2)), made(slept(3))]).await;
        assert!(unit.imports().update(&import).await.unwrap());
    }
    assert_eq!(unit.imports().forget_noted_before(seconds(5), 9).await.unwrap(), 0);
    assert_eq!(unit.imports().forget_noted_before(seconds(6), 2).await.unwrap(), 2);
    assert!(unit.imports().has_notes(import_id(1)).await.unwrap());
    assert_eq!(unit.imports().forget_noted_before(seconds(6), 2).await.unwrap(), 1);
    assert!(!unit.imports().has_notes(import_id(1)).await.unwrap());
    assert_eq!(unit.imports().forget_noted_before(seconds(99), 9).await.unwrap(), 3);
    assert!(unit.imports().has_notes(import_id(3)).await.unwrap());
}
