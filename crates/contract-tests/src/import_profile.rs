//! Profile changes kept with imports.

use crate::Harness;
use crate::fixture::{find_import as find, import_id, persons_import, seconds, store_import, user};
use application::import::ImportReport;
use application::ports::storage::Import;
use domain::import::ImportState;
use domain::user::{ProfileChange, ProfileChanges, ProfileField, ProfileValue};

/// Returns a change of this field, applied if the field was empty.
fn change(field: ProfileField) -> ProfileChange {
    let (old, new) = match field {
        ProfileField::CreatedAt => (Some("2026-01-02T03:04:05.678901Z"), "2020-01-02T00:00:00Z"),
        ProfileField::HomeTimezone => (Some("UTC"), "America/Argentina/ComodRivadavia"),
        ProfileField::BirthDate => (Some("1990-05-17"), "1880-01-01"),
        ProfileField::BiologicalSex => (None, "other"),
        ProfileField::BloodType => (Some("A+"), "AB-"),
        ProfileField::Height => (None, "172.53"),
        ProfileField::Weight => (Some("0.2"), "64.1"),
        ProfileField::SkinType => (None, "6"),
        ProfileField::WheelchairUse => (Some("true"), "false"),
    };
    let value = |text| ProfileValue::parse(field, text).unwrap();
    ProfileChange { old: value(old), new: value(Some(new)), is_applied: old.is_none() }
}

fn with(changes: ProfileChanges, import: Import) -> Import {
    Import { report: ImportReport { profile: changes, ..ImportReport::default() }, ..import }
}

/// Returns an import that changed some profile fields and proposes to change the others.
fn full(number: u64) -> Import {
    with(ProfileField::ALL.into_iter().map(change).collect(), persons_import(number))
}

pub(crate) async fn profile_changes_of_an_import_read_back_until_they_are_overwritten(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store_import(harness, &full(1)).await;
    store_import(harness, &persons_import(2)).await;
    let asked = Import { overwrite_profile: true, ..full(2) };
    let fewer = with([change(ProfileField::SkinType)].into_iter().collect(), persons_import(1));
    let states = [full(1), persons_import(2), asked, fewer, persons_import(1)];
    for (place, state) in states.into_iter().enumerate() {
        if place > 1 {
            assert!(commit!(harness, imports().update(&state)));
        }
        let number = if state.id == import_id(1) { 1 } else { 2 };
        assert_eq!(find(harness, number).await, Some(state));
    }
}

pub(crate) async fn profile_changes_are_forgotten_with_the_notes_of_their_import(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let ended = |number, at, state| Import { ended_at: Some(seconds(at)), state, ..full(number) };
    let mut unit = harness.begin().await;
    for import in [
        ended(1, 5, ImportState::Done),
        ended(2, 9, ImportState::Done),
        ended(3, 5, ImportState::Undoing),
        Import { state: ImportState::Waiting, ..full(4) },
        full(5),
    ] {
        unit.imports().insert(&import).await.unwrap();
    }
    // Forgotten profile changes are not counted.
    assert_eq!(unit.import_journal().forget_before(seconds(6), 9).await.unwrap(), 0);
    unit.commit().await.unwrap();
    for (number, is_forgotten) in [(1, true), (2, false), (3, false), (4, false), (5, true)] {
        let import = find(harness, number).await.unwrap();
        assert_eq!(import.report.profile.is_empty(), is_forgotten, "{number}");
    }
}
