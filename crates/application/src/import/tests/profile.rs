use super::import;
use super::memory_store::MemoryStore;
use super::record::minute;
use crate::ports::import_source::{ImportItem, ImportedProfile};
use crate::testing::person;
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
async fn zone_and_time_of_creation_are_taken_over() {
    let store = MemoryStore::with(known());
    let home_timezone = TimeZone::parse("Asia/Tokyo").unwrap();
    let imported = ImportedProfile {
        created_at: Some(minute(7)),
        home_timezone: Some(home_timezone),
        ..ImportedProfile::default()
    };
    import(&store, [profile(imported)]).await;
    assert_eq!(store.content().users, [User { created_at: minute(7), home_timezone, ..known() }]);
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
    let first = ImportedProfile { created_at: Some(minute(1)), ..heavier() };
    let second = ImportedProfile { created_at: Some(minute(2)), ..ImportedProfile::default() };
    import(&store, [profile(first), profile(second)]).await;
    let user = &store.content().users[0];
    assert_eq!((user.created_at, user.biology.weight), (minute(2), heavier().biology.weight));
}
