//! Applying an import's profile proposals later.

use super::import;
use super::memory_store::MemoryStore;
use super::profile::{born_tomorrow_but_one, changes_of, height, known, profile, tall};
use super::undo::{set_state, undo};
use crate::import::ImportError;
use crate::ports::import_source::ImportedProfile;
use crate::testing::{person, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::ImportState;
use domain::time::TimeZone;
use domain::user::{ProfileChange, ProfileField, ProfileValue, User};

async fn apply(
    store: &MemoryStore,
    id: ImportId,
    user_id: UserId,
    fields: &[ProfileField],
) -> Result<usize, ImportError> {
    store.imports().apply_profile(user_id, id, fields).await
}

/// Returns the proposals of an import.
async fn proposed(store: &MemoryStore, place: usize) -> Vec<ProfileChange> {
    store.imports().proposals(&store.content().imports.all[place]).await.unwrap()
}

/// A store after an import that proposes another height and time zone.
async fn after_import() -> (MemoryStore, ImportId) {
    let store = MemoryStore::with(known());
    let home_timezone = TimeZone::parse("Asia/Tokyo").ok();
    import(&store, [height(170), profile(ImportedProfile { home_timezone, ..ImportedProfile::default() })])
        .await;
    let id = store.content().imports.all[0].id;
    (store, id)
}

async fn edit(store: &MemoryStore, centimetres: u16) {
    let mut unit = store.units().begin().await.unwrap();
    let edited = User { biology: tall(centimetres), ..store.content().users.remove(0) };
    unit.users().update(&edited).await.unwrap();
    unit.commit().await.unwrap();
}

#[tokio::test]
async fn one_proposal_is_applied_and_the_other_stays() {
    let (store, id) = after_import().await;
    assert_eq!(apply(&store, id, user_id(1), &[ProfileField::Height]).await.unwrap(), 1);
    assert_eq!(store.content().users, [User { biology: tall(170), ..known() }]);
    let report = &store.content().imports.all[0].report;
    assert_eq!(changes_of(report), ["home_timezone: UTC -> Asia/Tokyo?", "height_cm: 180 -> 170"]);
    assert!(report.profile_changed);
    let fields: Vec<_> = proposed(&store, 0).await.iter().map(ProfileChange::field).collect();
    assert_eq!(fields, [ProfileField::HomeTimezone]);
    let [event] = <[_; 1]>::try_from(store.events_of(AuditKind::ProfileImported)).unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::ProfileImported, AuditActor::Person));
    assert_eq!((event.user_id, event.subject), (Some(user_id(1)), Some(id.as_uuid())));
}

#[tokio::test]
async fn applying_again_changes_nothing() {
    let (store, id) = after_import().await;
    assert_eq!(apply(&store, id, user_id(1), &ProfileField::ALL).await.unwrap(), 2);
    let before = store.content().users;
    assert_eq!(apply(&store, id, user_id(1), &ProfileField::ALL).await.unwrap(), 0);
    assert_eq!((store.content().users, store.events_of(AuditKind::ProfileImported).len()), (before, 1));
    assert_eq!(proposed(&store, 0).await, []);
}

#[tokio::test]
async fn undoing_the_import_restores_what_was_applied_since() {
    let (store, id) = after_import().await;
    apply(&store, id, user_id(1), &ProfileField::ALL).await.unwrap();
    assert_eq!(undo(&store, id).await.unwrap().counts.restored, 2);
    assert_eq!(store.content().users, [known()]);
}

#[tokio::test]
async fn a_profile_edit_made_in_the_meantime_is_shown_and_restored() {
    let (store, id) = after_import().await;
    edit(&store, 175).await;
    let shown = proposed(&store, 0).await;
    let height = shown.iter().find(|change| change.field() == ProfileField::Height).unwrap();
    assert_eq!(height.old, ProfileValue::Height(tall(175).height));
    apply(&store, id, user_id(1), &[ProfileField::Height]).await.unwrap();
    undo(&store, id).await.unwrap();
    assert_eq!(store.content().users[0].biology, tall(175));
}

#[tokio::test]
async fn a_proposed_value_that_the_person_has_entered_since_is_not_shown() {
    let (store, id) = after_import().await;
    edit(&store, 170).await;
    assert_eq!(proposed(&store, 0).await.len(), 1);
    assert_eq!(apply(&store, id, user_id(1), &[ProfileField::Height]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_birth_date_in_the_future_that_was_proposed_is_left_out() {
    let (store, id) = after_import().await;
    let mut unit = store.units().begin().await.unwrap();
    let mut import = unit.imports().find(id).await.unwrap().unwrap();
    let [old, new] = [None, born_tomorrow_but_one().birth_date].map(ProfileValue::BirthDate);
    let proposal = ProfileChange { old, new, is_applied: false };
    import.report.profile = import.report.profile.iter().copied().chain([proposal]).collect();
    unit.imports().update(&import).await.unwrap();
    unit.commit().await.unwrap();
    let fields: Vec<_> = proposed(&store, 0).await.iter().map(ProfileChange::field).collect();
    assert_eq!(fields, [ProfileField::HomeTimezone, ProfileField::Height]);
    assert_eq!(apply(&store, id, user_id(1), &[ProfileField::BirthDate]).await.unwrap(), 0);
    assert_eq!(store.content().users, [known()]);
    assert_eq!(apply(&store, id, user_id(1), &ProfileField::ALL).await.unwrap(), 2);
    assert_eq!(store.content().users[0].biology.birth_date, None);
}

#[tokio::test]
async fn the_proposals_of_two_imports_are_applied_and_undone_independently() {
    let store = MemoryStore::with(known());
    for centimetres in [170, 160] {
        import(&store, [height(centimetres)]).await;
    }
    let ids: Vec<_> = store.content().imports.all.iter().map(|import| import.id).collect();
    for (place, centimetres) in [(0, 170), (1, 160)] {
        assert_eq!(apply(&store, ids[place], user_id(1), &ProfileField::ALL).await.unwrap(), 1);
        assert_eq!(store.content().users[0].biology, tall(centimetres));
    }
    let second_changes = changes_of(&store.content().imports.all[1].report);
    assert_eq!(second_changes, ["height_cm: 170 -> 160"]);
    for (place, centimetres) in [(1, 170), (0, 180)] {
        undo(&store, ids[place]).await.unwrap();
        assert_eq!(store.content().users[0].biology, tall(centimetres));
    }
}

#[tokio::test]
async fn an_import_that_is_not_finished_or_was_undone_proposes_and_applies_nothing() {
    for state in ImportState::ALL.into_iter().filter(|state| *state != ImportState::Done) {
        let (store, id) = after_import().await;
        set_state(&store, id, state).await;
        assert_eq!(proposed(&store, 0).await, []);
        let outcome = apply(&store, id, user_id(1), &ProfileField::ALL).await;
        assert!(matches!(outcome, Err(ImportError::NotDone)), "{state:?}");
        assert_eq!(store.content().users, [known()]);
    }
    let (store, id) = after_import().await;
    undo(&store, id).await.unwrap();
    assert!(matches!(apply(&store, id, user_id(1), &[]).await, Err(ImportError::NotDone)));
    assert!(store.content().imports.all[0].report.profile.is_empty());
}

#[tokio::test]
async fn applying_another_persons_or_an_unknown_import_is_rejected() {
    let (store, id) = after_import().await;
    let mut unit = store.units().begin().await.unwrap();
    unit.users().insert(&User { id: user_id(2), ..person() }).await.unwrap();
    unit.commit().await.unwrap();
    for (user, id) in [(user_id(2), id), (user_id(1), ImportId::from_uuid(uuid::Uuid::nil()))] {
        let outcome = apply(&store, id, user, &ProfileField::ALL).await;
        assert!(matches!(outcome, Err(ImportError::Unknown)));
    }
    assert_eq!(store.content().users[0], known());
}

#[tokio::test]
async fn nothing_is_applied_for_a_person_who_was_erased() {
    let (store, id) = after_import().await;
    let import = store.content().imports.all.remove(0);
    let erased = MemoryStore::default();
    let outcome = apply(&erased, id, user_id(1), &ProfileField::ALL).await;
    assert!(matches!(outcome, Err(ImportError::Unknown)));
    assert_eq!(erased.imports().proposals(&import).await.unwrap(), []);
}
