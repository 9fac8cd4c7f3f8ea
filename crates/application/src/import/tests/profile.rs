use super::memory_store::MemoryStore;
use super::record::batch_of_notes;
use super::undo::undo;
use super::{dry_run, file::ItemFile, import, import_file, of_person};
use crate::import::{ImportRecordsCommand, ImportReport, KeptItem, KeptReason, UndoCounts};
use crate::ports::import_source::{ImportItem, ImportedProfile};
use crate::ports::storage::StorageError;
use crate::testing::{noon, person, seconds, user_id};
use chrono::{Days, SubsecRound as _, TimeDelta};
use domain::audit::{AuditActor, AuditKind};
use domain::id::ImportId;
use domain::time::TimeZone;
use domain::user::{Biology, BirthDate, BodyHeight, BodyWeight, ProfileField, User};

pub(super) fn profile(profile: ImportedProfile) -> ImportItem {
    ImportItem::Profile(Box::new(profile))
}

pub(super) fn tall(centimetres: u16) -> Biology {
    let height = Some(BodyHeight::from_centimetres(f64::from(centimetres)).unwrap());
    Biology { height, ..Biology::default() }
}

/// The first birth date that is in the future in every zone.
pub(super) fn born_tomorrow_but_one() -> Biology {
    let date = noon().date_naive() + Days::new(2);
    Biology { birth_date: BirthDate::new(date).ok(), ..Biology::default() }
}

/// A profile with this height.
pub(super) fn height(centimetres: u16) -> ImportItem {
    profile(ImportedProfile { biology: tall(centimetres), ..ImportedProfile::default() })
}

pub(super) fn known() -> User {
    User { biology: tall(180), ..person() }
}

fn heavier() -> ImportedProfile {
    let weight = BodyWeight::from_kilograms(80.0).ok();
    ImportedProfile { biology: Biology { weight, ..Biology::default() }, ..ImportedProfile::default() }
}

fn moved(zone: &str) -> ImportedProfile {
    ImportedProfile { home_timezone: TimeZone::parse(zone).ok(), ..ImportedProfile::default() }
}

pub(super) fn overwriting() -> ImportRecordsCommand {
    ImportRecordsCommand { overwrite_profile: true, ..of_person() }
}

async fn run(store: &MemoryStore, command: ImportRecordsCommand, items: Vec<ImportItem>) -> ImportReport {
    import_file(store, command, &ItemFile::new(items)).await.unwrap()
}

/// Formats the reported changes as `field: old -> new`, with a question mark for proposals.
pub(super) fn changes_of(report: &ImportReport) -> Vec<String> {
    let text = |value: domain::user::ProfileValue| value.text().unwrap_or_else(|| "-".to_owned());
    let changes = report.profile.iter();
    let line = |change: &domain::user::ProfileChange| {
        let mark = if change.is_applied { "" } else { "?" };
        format!("{}: {} -> {}{mark}", change.field().as_str(), text(change.old), text(change.new))
    };
    changes.map(line).collect()
}

fn last(store: &MemoryStore) -> ImportId {
    store.content().imports.all.last().unwrap().id
}

#[tokio::test]
async fn an_import_fills_empty_fields_with_the_values_in_the_file() {
    let store = MemoryStore::with(known());
    let report = import(&store, [profile(heavier())]).await;
    assert!(report.profile_changed);
    assert_eq!(changes_of(&report), ["weight_kg: - -> 80"]);
    let biology = Biology { weight: heavier().biology.weight, ..known().biology };
    assert_eq!(store.content().users, [User { biology, ..known() }]);
}

#[tokio::test]
async fn a_birth_date_in_the_future_is_left_out_and_noted() {
    for (days, is_kept) in [(1, true), (2, false)] {
        let store = MemoryStore::with(person());
        let birth_date = BirthDate::new(noon().date_naive() + Days::new(days)).ok();
        let biology = Biology { birth_date, ..tall(170) };
        let report =
            import(&store, [profile(ImportedProfile { biology, ..ImportedProfile::default() })]).await;
        let stored = Biology { birth_date: birth_date.filter(|_| is_kept), ..biology };
        assert_eq!(store.content().users, [User { biology: stored, ..person() }]);
        let notes: Vec<_> = report.notes.iter().map(|note| note.reason.as_str()).collect();
        let note = "birth date is in the future; it was left out";
        assert_eq!(notes, if is_kept { vec![] } else { vec![note] });
    }
}

#[tokio::test]
async fn an_import_proposes_a_different_value_instead_of_overwriting_the_field() {
    let store = MemoryStore::with(known());
    let report = import(&store, [height(170), profile(moved("Asia/Tokyo"))]).await;
    assert!(!report.profile_changed);
    assert_eq!(changes_of(&report), ["home_timezone: UTC -> Asia/Tokyo?", "height_cm: 180 -> 170?"]);
    assert_eq!(store.content().users, [known()]);
    // The proposal is stored with the import.
    assert_eq!(store.content().imports.all[0].report.profile, report.profile);
}

#[tokio::test]
async fn an_import_overwrites_on_request_and_reports_the_old_value() {
    let store = MemoryStore::with(known());
    let items = || vec![height(170), profile(moved("Asia/Tokyo"))];
    let would = run(&store, ImportRecordsCommand { dry_run: true, ..overwriting() }, items()).await;
    assert_eq!(store.content().users, [known()]);
    let report = run(&store, overwriting(), items()).await;
    assert_eq!(changes_of(&report), ["home_timezone: UTC -> Asia/Tokyo", "height_cm: 180 -> 170"]);
    assert_eq!(would, report);
    let User { home_timezone, biology, .. } = store.content().users.remove(0);
    assert_eq!((home_timezone.name(), biology), ("Asia/Tokyo", tall(170)));
    // The second time there is nothing to change or propose.
    let again = run(&store, overwriting(), items()).await;
    assert_eq!((again.profile_changed, changes_of(&again)), (false, Vec::new()));
}

#[tokio::test]
async fn a_restore_applies_its_profile_without_a_request() {
    let store = MemoryStore::with(known());
    let restored = ImportedProfile { is_restore: true, biology: tall(170), ..moved("Asia/Tokyo") };
    let report = import(&store, [profile(restored)]).await;
    assert_eq!(changes_of(&report), ["home_timezone: UTC -> Asia/Tokyo", "height_cm: 180 -> 170"]);
}

#[tokio::test]
async fn a_restore_does_not_mark_another_file_in_its_folder_as_restored() {
    let store = MemoryStore::with(known());
    let restored = ImportedProfile { is_restore: true, ..moved("Asia/Tokyo") };
    let report = import(&store, [profile(restored), height(170)]).await;
    assert_eq!(changes_of(&report), ["home_timezone: UTC -> Asia/Tokyo", "height_cm: 180 -> 170?"]);
}

#[tokio::test]
async fn the_creation_time_of_a_person_is_never_moved_forward() {
    let earlier = known().created_at - seconds(60);
    for (in_file, expected) in [(earlier, earlier), (known().created_at + seconds(60), known().created_at)] {
        let store = MemoryStore::with(known());
        let restored = ImportedProfile { is_restore: true, created_at: Some(in_file), ..heavier() };
        import(&store, [profile(restored)]).await;
        assert_eq!(store.content().users[0].created_at, expected);
        undo(&store, last(&store)).await.unwrap();
        assert_eq!(store.content().users, [known()]);
    }
}

#[tokio::test]
async fn an_exported_profile_changes_nothing_despite_truncated_microseconds() {
    let exact = known().created_at.trunc_subsecs(0) + TimeDelta::microseconds(123_456);
    let store = MemoryStore::with(User { created_at: exact, ..known() });
    let created_at = Some(exact.trunc_subsecs(3));
    let biology = known().biology;
    let same = ImportedProfile { is_restore: true, created_at, biology, ..ImportedProfile::default() };
    let report = import(&store, [profile(same)]).await;
    assert_eq!((report.profile_changed, changes_of(&report)), (false, Vec::new()));
    assert_eq!(store.content().users[0].created_at, exact);
}

#[tokio::test]
async fn an_unchanged_profile_is_not_written() {
    let store = MemoryStore::with(known());
    let same = ImportedProfile { biology: known().biology, ..ImportedProfile::default() };
    for command in [of_person(), overwriting()] {
        let items = vec![profile(ImportedProfile::default()), profile(same.clone())];
        let report = run(&store, command, items).await;
        assert!(!report.profile_changed && report.profile.is_empty());
    }
    assert_eq!(store.calls().count("users.update"), 0);
}

#[tokio::test]
async fn the_later_of_two_profiles_in_a_file_wins_even_in_a_later_batch() {
    for between in [Vec::new(), batch_of_notes().collect()] {
        for (user, command, expected) in [
            (person(), of_person(), "height_cm: - -> 172"),
            (known(), of_person(), "height_cm: 180 -> 172?"),
            (known(), overwriting(), "height_cm: 180 -> 172"),
        ] {
            let items: Vec<_> =
                [height(171)].into_iter().chain(between.clone()).chain([height(172)]).collect();
            let store = MemoryStore::with(user);
            let would = ImportRecordsCommand { dry_run: true, ..command.clone() };
            assert_eq!(changes_of(&run(&store, would, items.clone()).await), [expected]);
            assert_eq!(changes_of(&run(&store, command, items).await), [expected]);
        }
    }
}

#[tokio::test]
async fn a_resumed_import_reports_the_changes_of_all_its_tries() {
    let store = MemoryStore::with(person());
    let items = || [height(171)].into_iter().chain(super::run::nights(2_400)).chain([height(172)]);
    store.pass("sleep.insert");
    store.fail("sleep.insert", StorageError::Unavailable);
    import_file(&store, of_person(), &ItemFile::new(items())).await.unwrap_err();
    let interrupted = &store.content().imports.all[0];
    assert_eq!(changes_of(&interrupted.report), ["height_cm: - -> 171"]);
    assert_eq!(changes_of(&import(&store, items()).await), ["height_cm: - -> 172"]);
    undo(&store, last(&store)).await.unwrap();
    assert_eq!(store.content().users, [person()]);
}

#[tokio::test]
async fn profile_changes_of_an_import_are_audited_and_proposals_are_not() {
    let store = MemoryStore::with(known());
    run(&store, dry_run(), vec![profile(heavier())]).await;
    import(&store, [height(170)]).await;
    assert_eq!(store.events_of(AuditKind::ProfileImported), []);
    import(&store, [profile(heavier())]).await;
    let [event] = <[_; 1]>::try_from(store.events_of(AuditKind::ProfileImported)).unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::ProfileImported, AuditActor::Operator));
    assert_eq!((event.user_id, event.subject), (Some(user_id(1)), Some(last(&store).as_uuid())));
}

#[tokio::test]
async fn an_undo_restores_the_fields_that_are_still_as_the_import_left_them() {
    let store = MemoryStore::with(known());
    let changed = ImportedProfile { biology: tall(170), ..moved("Asia/Tokyo") };
    run(&store, overwriting(), vec![profile(changed), profile(heavier())]).await;
    let id = last(&store);
    let mut unit = store.units().begin().await.unwrap();
    let edited =
        User { home_timezone: TimeZone::parse("America/Lima").unwrap(), ..store.content().users.remove(0) };
    unit.users().update(&edited).await.unwrap();
    unit.commit().await.unwrap();
    let undone = undo(&store, id).await.unwrap();
    assert_eq!(undone.counts, UndoCounts { removed: 0, restored: 2, kept: 1 });
    let kept = &undone.kept[0];
    assert_eq!((kept.what, kept.why), (KeptItem::Profile(ProfileField::HomeTimezone), KeptReason::Changed));
    assert_eq!(store.content().users, [User { home_timezone: edited.home_timezone, ..known() }]);
    // Only the kept field can be tried again.
    assert_eq!(changes_of(&store.content().imports.all[0].report), ["home_timezone: UTC -> Asia/Tokyo"]);
}

#[tokio::test]
async fn two_imports_of_different_fields_are_undone_independently_in_either_order() {
    for order in [[0, 1], [1, 0]] {
        let store = MemoryStore::with(person());
        import(&store, [height(170)]).await;
        import(&store, [profile(heavier())]).await;
        let ids: Vec<_> = store.content().imports.all.iter().map(|import| import.id).collect();
        let expected = [heavier().biology, tall(170)];
        let [first, second] = order;
        undo(&store, ids[first]).await.unwrap();
        assert_eq!(store.content().users[0].biology, expected[first]);
        undo(&store, ids[second]).await.unwrap();
        assert_eq!(store.content().users, [person()]);
    }
}

#[tokio::test]
async fn a_field_changed_by_a_later_import_is_kept_until_that_import_is_undone() {
    let store = MemoryStore::with(known());
    for centimetres in [170, 160] {
        run(&store, overwriting(), vec![height(centimetres)]).await;
    }
    let ids: Vec<_> = store.content().imports.all.iter().map(|import| import.id).collect();
    let undone = undo(&store, ids[0]).await.unwrap();
    assert_eq!(undone.counts, UndoCounts { removed: 0, restored: 0, kept: 1 });
    assert_eq!(undone.kept[0].why, KeptReason::ChangedBy(ids[1]));
    undo(&store, ids[1]).await.unwrap();
    let again = undo(&store, ids[0]).await.unwrap();
    assert_eq!(again.counts, UndoCounts { removed: 0, restored: 1, kept: 0 });
    assert_eq!(store.content().users, [known()]);
}

#[tokio::test]
async fn undoing_the_latest_of_two_imports_of_one_field_first_is_exact() {
    let store = MemoryStore::with(known());
    for centimetres in [170, 160] {
        run(&store, overwriting(), vec![height(centimetres)]).await;
    }
    let ids: Vec<_> = store.content().imports.all.iter().map(|import| import.id).collect();
    for (id, centimetres) in ids.into_iter().rev().zip([170, 180]) {
        assert_eq!(undo(&store, id).await.unwrap().counts, UndoCounts { removed: 0, restored: 1, kept: 0 });
        assert_eq!(store.content().users[0].biology, tall(centimetres));
    }
}
