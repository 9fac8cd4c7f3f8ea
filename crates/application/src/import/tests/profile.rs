use super::import;
use super::memory_store::MemoryStore;
use crate::ports::import_source::{ImportItem, ImportedProfile};
use crate::testing::{person, seconds};
use chrono::{SubsecRound as _, TimeDelta};
use domain::time::TimeZone;
use domain::user::{Biology, BodyHeight, BodyWeight, User};

fn profile(profile: ImportedProfile) -> ImportItem {
    ImportItem::Profile(Box::new(profile))
}

fn known() -> User {
    let height = BodyHeight::from_centimetres(180.0).ok();
    User { biology: Biology { height, ..Biology::default() }, ..person() }
}

fn heavier() -> ImportedProfile {
    let weight = BodyWeight::from_kilograms(80.0).ok();
    ImportedProfile { biology: Biology { weight, ..Biology::default() }, ..ImportedProfile::default() }
}

#[tokio::test]
async fn what_a_file_says_is_laid_over_what_is_known_and_the_rest_stays() {
    let store = MemoryStore::with(known());
    let report = import(&store, [profile(heavier())]).await;
    assert!(report.profile_changed);
    let biology = Biology { weight: heavier().biology.weight, ..known().biology };
    assert_eq!(store.content().users, [User { biology, ..known() }]);
}

#[tokio::test]
async fn the_zone_is_taken_over() {
    let store = MemoryStore::with(known());
    let home_timezone = TimeZone::parse("Asia/Tokyo").unwrap();
    let imported = ImportedProfile { home_timezone: Some(home_timezone), ..ImportedProfile::default() };
    import(&store, [profile(imported)]).await;
    assert_eq!(store.content().users, [User { home_timezone, ..known() }]);
}

#[tokio::test]
async fn nobody_is_created_later_than_they_were() {
    let earlier = known().created_at - seconds(60);
    for (told, expected) in [(earlier, earlier), (known().created_at + seconds(60), known().created_at)] {
        let store = MemoryStore::with(known());
        import(&store, [profile(ImportedProfile { created_at: Some(told), ..heavier() })]).await;
        assert_eq!(store.content().users[0].created_at, expected);
    }
}

#[tokio::test]
async fn what_an_own_export_tells_of_a_profile_changes_nothing_though_it_has_no_microseconds() {
    let exact = known().created_at.trunc_subsecs(0) + TimeDelta::microseconds(123_456);
    let store = MemoryStore::with(User { created_at: exact, ..known() });
    let created_at = Some(exact.trunc_subsecs(3));
    let same = ImportedProfile { created_at, biology: known().biology, ..ImportedProfile::default() };
    assert!(!import(&store, [profile(same)]).await.profile_changed);
    assert_eq!(store.content().users[0].created_at, exact);
}

#[tokio::test]
async fn a_profile_that_says_nothing_new_is_not_written() {
    let store = MemoryStore::with(known());
    let same = ImportedProfile { biology: known().biology, ..ImportedProfile::default() };
    let report = import(&store, [profile(ImportedProfile::default()), profile(same)]).await;
    assert!(!report.profile_changed);
    assert_eq!(store.calls().of("users.update"), 0);
}

#[tokio::test]
async fn of_two_profiles_in_a_file_the_later_wins_where_both_speak() {
    let store = MemoryStore::with(known());
    let [tokyo, lima] = ["Asia/Tokyo", "America/Lima"].map(|zone| TimeZone::parse(zone).ok());
    let first = ImportedProfile { home_timezone: tokyo, ..heavier() };
    let second = ImportedProfile { home_timezone: lima, ..ImportedProfile::default() };
    import(&store, [profile(first), profile(second)]).await;
    let user = &store.content().users[0];
    assert_eq!((Some(user.home_timezone), user.biology.weight), (lima, heavier().biology.weight));
}
