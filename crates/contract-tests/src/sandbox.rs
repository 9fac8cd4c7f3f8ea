//! Sandbox people.

use crate::Harness;
use crate::fixture::{now, user, user_id};
use crate::rejection::{assert_rejected, audited};
use application::ports::storage::Erasure;
use application::sandbox::{CreateSandboxError, SandboxPeople};
use chrono::NaiveDate;
use domain::id::ErasureId;
use domain::sandbox::{MAX_PER_OWNER, SandboxPerson, Story};
use domain::user::{User, UserStatus};
use uuid::Uuid;

fn day(number: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, number).unwrap()
}

fn sandbox_person(number: u64, story: Story, owner: Option<u64>) -> SandboxPerson {
    SandboxPerson { user_id: user_id(number), story, owner: owner.map(user_id), records_until: day(1) }
}

async fn store(harness: &Harness, person: &SandboxPerson) {
    let mut unit = harness.begin().await;
    let user = User { id: person.user_id, email: person.email(), ..user(1) };
    unit.users().insert(&user).await.unwrap();
    unit.sandbox().insert(person).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(harness.profiles.find_profile(user.id).await.unwrap(), Some(user));
}

pub(crate) async fn a_sandbox_person_of_each_story_reads_back(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for (story, number) in Story::ALL.into_iter().zip(2..) {
        let person = sandbox_person(number, story, (number % 2 == 0).then_some(1));
        store(harness, &person).await;
        let mut unit = harness.begin().await;
        assert_eq!(unit.sandbox().find(person.user_id).await.unwrap(), Some(person));
    }
}

pub(crate) async fn a_real_person_is_not_a_sandbox_person(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    for number in [1, 2] {
        assert_eq!(unit.sandbox().find(user_id(number)).await.unwrap(), None);
        assert!(!unit.sandbox().set_records_until(user_id(number), day(2)).await.unwrap());
    }
    assert_eq!(harness.sandbox.list_sandbox_people(None).await.unwrap(), []);
}

pub(crate) async fn the_last_day_with_records_is_stored_for_one_person(harness: &Harness) {
    let people = [2, 3].map(|number| sandbox_person(number, Story::Gaps, None));
    for person in &people {
        store(harness, person).await;
    }
    let mut unit = harness.begin().await;
    assert!(unit.sandbox().set_records_until(user_id(2), day(9)).await.unwrap());
    unit.commit().await.unwrap();
    let expected = [SandboxPerson { records_until: day(9), ..people[0] }, people[1]];
    assert_eq!(harness.sandbox.list_sandbox_people(None).await.unwrap(), expected);
}

pub(crate) async fn sandbox_people_are_listed_by_ascending_id_for_everyone_or_for_an_owner(
    harness: &Harness,
) {
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
    }
    let owned = [(5, Some(1)), (3, None), (6, Some(2)), (4, Some(1))];
    for (number, owner) in owned {
        store(harness, &sandbox_person(number, Story::NoStages, owner)).await;
    }
    let listed = |people: Vec<SandboxPerson>| people.iter().map(|person| person.user_id).collect::<Vec<_>>();
    let all = listed(harness.sandbox.list_sandbox_people(None).await.unwrap());
    assert_eq!(all, [3, 4, 5, 6].map(user_id));
    for (owner, expected) in [(1, &[4, 5][..]), (2, &[6]), (3, &[])] {
        let expected: Vec<_> = expected.iter().copied().map(user_id).collect();
        let found = harness.sandbox.list_sandbox_people(Some(user_id(owner))).await.unwrap();
        assert_eq!(listed(found), expected);
        let mut unit = harness.begin().await;
        assert_eq!(unit.sandbox().list_of_owner(user_id(owner)).await.unwrap(), expected);
    }
}

pub(crate) async fn an_erased_sandbox_person_is_gone(harness: &Harness) {
    for number in [2, 3] {
        store(harness, &sandbox_person(number, Story::TwoDevices, None)).await;
    }
    let mut unit = harness.begin().await;
    let erasure = Erasure { id: ErasureId::from_uuid(Uuid::from_u128(7)), at: now() };
    assert!(unit.erasures().erase(user_id(2), erasure).await.unwrap());
    unit.commit().await.unwrap();
    let left = harness.sandbox.list_sandbox_people(None).await.unwrap();
    assert_eq!(left, [sandbox_person(3, Story::TwoDevices, None)]);
}

pub(crate) async fn rejected_forms_about_sandbox_people_open_no_connection(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_user(&User { status: UserStatus::Locked { at: now() }, ..user(2) }).await;
    for number in 1..MAX_PER_OWNER as u64 {
        store(harness, &sandbox_person(100 + number, Story::NapsOnly, Some(1))).await;
    }
    let people = SandboxPeople { store: audited(harness), reader: harness.sandbox.clone() };
    let is_unknown = |error: &CreateSandboxError| matches!(error, CreateSandboxError::UnknownOwner);
    let is_too_many = |error: &CreateSandboxError| matches!(error, CreateSandboxError::TooMany);
    let create = async |owner, stories| people.create(Some(user_id(owner)), stories).await;
    let (one, two) = ([Story::NapsOnly].as_slice(), [Story::NapsOnly; 2].as_slice());

    assert_rejected(harness, "more people than the limit", is_too_many, async || create(1, two).await).await;
    for owner in [2, 9, 101] {
        assert_rejected(harness, "locked, unknown or a sandbox person", is_unknown, async || {
            create(owner, one).await
        })
        .await;
    }
    let existing = people.list(None).await.unwrap();
    assert_eq!(existing.len(), MAX_PER_OWNER - 1);
}
