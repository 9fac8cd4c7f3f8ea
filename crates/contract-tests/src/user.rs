//! People.

use crate::Harness;
use crate::fixture::{
    catalogue_key, client, client_id, code, conflict, full_user, grant, grant_id, hash, log, log_id, now,
    secret, session, session_id, supplement, supplement_id, user, user_id,
};
use application::ports::storage::{GrantFilter, UniqueKey};
use domain::id::ImportId;
use domain::user::{BiologicalSex, BloodType, Email, SkinType, User, UserStatus};
use domain::user::{ProfileField, ProfileOrigin, ProfileSource};
use std::time::Duration;
use uuid::Uuid;

pub(crate) async fn a_person_reads_back_as_stored(harness: &Harness) {
    for person in [user(1), full_user(2)] {
        harness.store_user(&person).await;
        assert_eq!(harness.profiles.find_profile(person.id).await.unwrap(), Some(person.clone()));
        let mut unit = harness.begin().await;
        let found = unit.users().find(person.id).await.unwrap();
        assert_eq!(found.as_ref().map(|found| found.email.as_str()), Some(person.email.as_str()));
        assert_eq!(found, Some(person));
    }
}

pub(crate) async fn every_value_of_every_kind_reads_back(harness: &Harness) {
    let mut unit = harness.begin().await;
    unit.users().insert(&user(1)).await.unwrap();
    let mut person = user(1);
    for sex in BiologicalSex::ALL {
        for blood_type in BloodType::ALL {
            person.biology.biological_sex = Some(sex);
            person.biology.blood_type = Some(blood_type);
            assert!(unit.users().update(&person).await.unwrap());
            assert_eq!(unit.users().find(person.id).await.unwrap(), Some(person.clone()));
        }
    }
    for (number, wheelchair_use) in (1..=6).zip([Some(true), Some(false), None].into_iter().cycle()) {
        person.biology.skin_type = Some(SkinType::new(number).unwrap());
        person.biology.wheelchair_use = wheelchair_use;
        assert!(unit.users().update(&person).await.unwrap());
        assert_eq!(unit.users().find(person.id).await.unwrap(), Some(person.clone()));
    }
}

pub(crate) async fn an_unknown_person_is_absent(harness: &Harness) {
    harness.store_user(&user(1)).await;
    assert_eq!(harness.profiles.find_profile(user_id(2)).await.unwrap(), None);
    let mut unit = harness.begin().await;
    assert_eq!(unit.users().find(user_id(2)).await.unwrap(), None);
    assert_eq!(unit.users().find_by_email(&user(2).email).await.unwrap(), None);
}

pub(crate) async fn an_address_is_found_whatever_its_case(harness: &Harness) {
    harness.store_user(&full_user(1)).await;
    let mut unit = harness.begin().await;
    for text in ["Ärzt+1@Exämple.ORG", "ÄRZT+1@EXÄMPLE.ORG", "ärzt+1@exämple.org"] {
        let found = unit.users().find_by_email(&Email::parse(text).unwrap()).await.unwrap();
        assert_eq!(found, Some(full_user(1)), "{text}");
    }
}

pub(crate) async fn a_taken_id_is_a_conflict(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    let other_address = User { email: user(2).email, ..user(1) };
    assert_eq!(conflict(unit.users().insert(&other_address).await), UniqueKey::UserId);
}

pub(crate) async fn a_taken_address_is_a_conflict_whatever_its_case(harness: &Harness) {
    harness.store_user(&full_user(1)).await;
    let mut unit = harness.begin().await;
    let person = User { email: Email::parse("ÄRZT+1@exämple.org").unwrap(), ..user(2) };
    assert_eq!(conflict(unit.users().insert(&person).await), UniqueKey::UserEmail);
}

pub(crate) async fn an_update_overwrites_everything(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for person in [User { id: user_id(1), ..full_user(2) }, user(1)] {
        assert!(commit!(harness, users().update(&person)));
        assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), Some(person));
    }
}

pub(crate) async fn updating_an_unknown_person_is_reported(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert!(!unit.users().update(&user(1)).await.unwrap());
    assert_eq!(unit.users().find(user_id(1)).await.unwrap(), None);
}

pub(crate) async fn an_update_to_a_taken_address_is_a_conflict_and_changes_nothing(harness: &Harness) {
    harness.store_users([1, 2]).await;
    let mut unit = harness.begin().await;
    let person = User { email: user(1).email, status: UserStatus::Locked { at: now() }, ..user(2) };
    assert_eq!(conflict(unit.users().update(&person).await), UniqueKey::UserEmail);
    assert_eq!(unit.users().find(user_id(2)).await.unwrap(), Some(user(2)));
}

pub(crate) async fn people_are_listed_by_ascending_id_in_pages(harness: &Harness) {
    harness.store_users([3, 1, 5, 2, 4]).await;
    let profiles = &harness.profiles;
    assert_eq!(profiles.list_profiles(None, 2).await.unwrap(), [user(1), user(2)]);
    assert_eq!(profiles.list_profiles(Some(user_id(2)), 2).await.unwrap(), [user(3), user(4)]);
    assert_eq!(profiles.list_profiles(Some(user_id(4)), 2).await.unwrap(), [user(5)]);
    assert_eq!(profiles.list_profiles(Some(user_id(5)), 2).await.unwrap(), []);
}

pub(crate) async fn deleting_a_person_deletes_everything_stored_under_them_and_nothing_else(
    harness: &Harness,
) {
    harness.store_client(&client(1), &secret(1)).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        let id = user_id(number);
        let mut stored_code = code(number);
        stored_code.user_id = id;
        harness.store_code(&stored_code).await;
        let mut stored_grant = grant(number);
        stored_grant.user_id = id;
        harness.store_grants(&[stored_grant]).await;
        harness.store_sessions(id, &[session(number, 0)]).await;
        harness.store_logs(id, &[log(number, 1, now())]).await;
    }
    assert!(commit!(harness, users().delete(user_id(1))));
    assert_eq!(stored_of(harness, 1).await, [false; 6]);
    assert_eq!(stored_of(harness, 2).await, [true; 6]);
    let mut unit = harness.begin().await;
    assert!(unit.clients().find(client_id(1)).await.unwrap().is_some());
    assert!(unit.supplements().find(supplement_id(1)).await.unwrap().is_some());
}

/// Returns which kinds of records a person has: the person, code, grant, session, log, access.
async fn stored_of(harness: &Harness, number: u64) -> [bool; 6] {
    let id = user_id(number);
    let filter = GrantFilter { user_id: Some(id), ..GrantFilter::default() };
    let access = harness.access.find_access(id, grant_id(number)).await.unwrap();
    let grants = harness.grants.list_grants(filter, None, 10).await.unwrap();
    let mut unit = harness.begin().await;
    [
        unit.users().find(id).await.unwrap().is_some(),
        unit.codes().find(&hash(number)).await.unwrap().is_some(),
        !grants.is_empty(),
        !unit.sleep().find_many(id, &[session_id(number)]).await.unwrap().is_empty(),
        !unit.intake_logs().find_many(id, &[log_id(number)]).await.unwrap().is_empty(),
        access.is_some(),
    ]
}

pub(crate) async fn deleting_an_unknown_person_is_reported(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert!(!unit.users().delete(user_id(1)).await.unwrap());
}

pub(crate) async fn a_deleted_address_is_free_again(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    let heir = User { email: user(1).email, ..user(2) };
    unit.users().insert(&heir).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(harness.profiles.find_profile(user_id(2)).await.unwrap(), Some(heir));
}

/// Changes one field of the first person 5 ms after reading it, so that concurrent changes overlap.
async fn change(harness: Harness, change: fn(&mut User)) {
    let mut unit = harness.begin().await;
    let mut person = unit.users().find(user_id(1)).await.unwrap().unwrap();
    change(&mut person);
    // Without a lock, a concurrent change would write back the old values.
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(unit.users().update(&person).await.unwrap());
    unit.commit().await.unwrap();
}

pub(crate) async fn racing_changes_of_different_values_are_all_kept(harness: &Harness) {
    const CHANGES: [fn(&mut User); 8] = [
        |person| person.status = full_user(1).status,
        |person| person.home_timezone = full_user(1).home_timezone,
        |person| person.created_at = full_user(1).created_at,
        |person| person.biology.birth_date = full_user(1).biology.birth_date,
        |person| person.biology.blood_type = full_user(1).biology.blood_type,
        |person| person.biology.height = full_user(1).biology.height,
        |person| person.biology.weight = full_user(1).biology.weight,
        |person| person.biology.skin_type = full_user(1).biology.skin_type,
    ];
    harness.store_user(&user(1)).await;
    let tasks = CHANGES.map(|own| tokio::spawn(change(harness.clone(), own)));
    for task in tasks {
        task.await.unwrap();
    }
    let mut expected = user(1);
    for change in CHANGES {
        change(&mut expected);
    }
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), Some(expected));
}

pub(crate) async fn the_sources_of_values_are_stored_per_field_and_deleted_with_the_person(
    harness: &Harness,
) {
    harness.store_users([1, 2]).await;
    let source = |field, origin| ProfileSource { field, origin, at: now() };
    let import = ProfileOrigin::Import(ImportId::from_uuid(Uuid::from_u128(9)));
    let first =
        [source(ProfileField::Height, import), source(ProfileField::HomeTimezone, ProfileOrigin::Operator)];
    let second = [
        source(ProfileField::Height, ProfileOrigin::Person),
        source(ProfileField::Weight, ProfileOrigin::Client),
    ];
    let mut unit = harness.begin().await;
    unit.users().record_sources(user_id(1), &first).await.unwrap();
    unit.users().record_sources(user_id(1), &[]).await.unwrap();
    unit.users().record_sources(user_id(1), &second).await.unwrap();
    unit.users().record_sources(user_id(2), &first).await.unwrap();
    unit.commit().await.unwrap();
    let mut listed = harness.profiles.list_sources(user_id(1)).await.unwrap();
    listed.sort_by_key(|source| source.field);
    assert_eq!(listed, [first[1], second[0], second[1]]);
    assert!(commit!(harness, users().delete(user_id(1))));
    assert_eq!(harness.profiles.list_sources(user_id(1)).await.unwrap(), []);
    assert_eq!(harness.profiles.list_sources(user_id(2)).await.unwrap().len(), 2);
}
