//! Sandbox people.

use crate::Harness;
use crate::fixture::{now, seconds, user, user_id};
use crate::service::{assert_rejected, audited, audited_at, event_by, recorded};
use application::ports::storage::{Erasure, SandboxReader, StorageError};
use application::sandbox::{CreateSandboxError, SandboxPeople};
use application::synthetic::{SyntheticPerson, days_before};
use async_trait::async_trait;
use chrono::NaiveDate;
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ErasureId, UserId};
use domain::sandbox::{MAX_PER_OWNER, SandboxPerson, Story};
use domain::time::TimeZone;
use domain::user::{User, UserStatus};
use std::sync::Arc;
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
    assert!(commit!(harness, sandbox().set_records_until(user_id(2), day(9))));
    let expected = [SandboxPerson { records_until: day(9), ..people[0] }, people[1]];
    assert_eq!(harness.sandbox.list_sandbox_people(None).await.unwrap(), expected);
}

pub(crate) async fn sandbox_people_are_listed_by_ascending_id_for_everyone_or_for_an_owner(
    harness: &Harness,
) {
    harness.store_users([1, 2]).await;
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
    let people = service(harness);
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
    assert_eq!(people.list(None).await.unwrap().len(), MAX_PER_OWNER - 1);
    assert_eq!(recorded(harness).await, []);
}

/// A reader of this list, which is older than the rows.
struct Listed(Vec<SandboxPerson>);

#[async_trait]
impl SandboxReader for Listed {
    async fn list_sandbox_people(&self, _: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError> {
        Ok(self.0.clone())
    }
}

fn service(harness: &Harness) -> SandboxPeople {
    SandboxPeople { store: audited(harness), reader: harness.sandbox.clone() }
}

/// Returns the numbers of nights, intakes and products of a person.
async fn records(harness: &Harness, user_id: UserId) -> [usize; 3] {
    let nights = harness.sleep.walk(user_id, None, 5000).await.unwrap();
    let intakes = harness.supplements.walk_logs(user_id, None, 9000).await.unwrap();
    let products = harness.supplements.list_own(user_id).await.unwrap();
    [nights.len(), intakes.len(), products.len()]
}

pub(crate) async fn a_person_of_each_story_is_created_with_their_records(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for number in 1..MAX_PER_OWNER as u64 {
        store(harness, &sandbox_person(100 + number, Story::NapsOnly, Some(1))).await;
    }
    let (people, owner) = (service(harness), Some(user_id(1)));
    for (owner, actor, stories) in [
        (None, AuditActor::Operator, [Story::Gaps, Story::ThreeYears].as_slice()),
        (owner, AuditActor::Person, &[Story::NapsOnly]),
    ] {
        let begun = harness.begun();
        let created = people.create(owner, stories).await.unwrap();
        assert_eq!(harness.begun(), begun + stories.len() as u64);
        assert_eq!(created.iter().map(|person| person.story).collect::<Vec<_>>(), stories);
        for person in &created {
            assert_eq!((person.owner, person.records_until), (owner, day(8)));
            let user = harness.profiles.find_profile(person.user_id).await.unwrap().unwrap();
            assert_eq!((user.email, user.created_at), (person.email(), now()));
            let zone = TimeZone::parse(person.story.time_zone()).unwrap();
            assert_eq!(user.home_timezone, zone);
            let generator = SyntheticPerson::new(person.user_id, person.story, zone);
            let days = days_before(day(9), person.story);
            let expected =
                [generator.sessions(&days).len(), generator.logs(&days).len(), generator.supplements().len()];
            assert_eq!(records(harness, person.user_id).await, expected);
        }
        let listed = people.list(owner).await.unwrap();
        assert!(created.iter().all(|person| listed.contains(person)));
        let event = |person: &SandboxPerson| event_by(actor, AuditKind::UserCreated).user(person.user_id);
        assert_eq!(recorded(harness).await, created.iter().map(event).collect::<Vec<_>>());
    }
}

pub(crate) async fn the_days_since_the_last_run_are_added_once(harness: &Harness) {
    let story = Story::RegularSleeper;
    let created_on = async |day: i64| {
        let at = seconds(86_400 * (day - 9));
        let people = SandboxPeople { store: audited_at(harness, at), ..service(harness) };
        people.create(None, &[story]).await.unwrap().remove(0)
    };
    let behind = [created_on(6).await, created_on(8).await];
    assert_eq!(behind.map(|person| person.records_until), [day(5), day(7)]);
    let zone = TimeZone::parse(story.time_zone()).unwrap();
    let [first, second] = behind.map(|person| SyntheticPerson::new(person.user_id, story, zone));
    // A night of the second person that is to be added is stored by something else: it conflicts.
    harness.store_sessions(behind[1].user_id, &second.sessions(&[day(8)])).await;
    let before = [records(harness, behind[0].user_id).await, records(harness, behind[1].user_id).await];

    // The conflict does not end the run.
    let people = SandboxPeople { reader: Arc::new(Listed(vec![behind[1], behind[0]])), ..service(harness) };
    let days = [6, 7, 8].map(day);
    let (nights, intakes) = (first.sessions(&days).len(), first.logs(&days).len());
    let begun = harness.begun();
    assert_eq!(people.add_days().await.unwrap(), nights + intakes);
    assert_eq!(harness.begun(), begun + 2);
    let stored = harness.sleep.walk(behind[0].user_id, None, 5000).await.unwrap();
    assert!(first.sessions(&days).iter().all(|night| stored.contains(night)));
    let [had_nights, had_intakes, products] = before[0];
    let expected = [had_nights + nights, had_intakes + intakes, products];
    assert_eq!(records(harness, behind[0].user_id).await, expected);
    assert_eq!(records(harness, behind[1].user_id).await, before[1]);
    let updated = behind.map(|person| SandboxPerson { records_until: day(8), ..person });
    assert_eq!(people_in(harness).await, updated);
    // As on another server, whose list is older than the rows.
    assert_eq!(people.add_days().await.unwrap(), 0);

    let erased = sandbox_person(4, story, None);
    let people = SandboxPeople { reader: Arc::new(Listed(vec![erased])), ..service(harness) };
    assert_eq!(people.add_days().await.unwrap(), 0);
}

async fn people_in(harness: &Harness) -> Vec<SandboxPerson> {
    harness.sandbox.list_sandbox_people(None).await.unwrap()
}

pub(crate) async fn only_people_of_the_owner_are_erased_together(harness: &Harness) {
    harness.store_users([1, 2]).await;
    let stored = [(3, Some(1)), (4, Some(1)), (5, Some(2)), (6, None)]
        .map(|(number, owner)| sandbox_person(number, Story::Gaps, owner));
    for person in &stored {
        store(harness, person).await;
    }
    let real = SandboxPerson { user_id: user_id(2), ..stored[0] };
    // The list also names a real person, another developer's, and one who has been erased.
    let listed = [&stored[..3], &[real, sandbox_person(9, Story::Gaps, Some(1))]].concat();
    let people = SandboxPeople { reader: Arc::new(Listed(listed)), ..service(harness) };
    let begun = harness.begun();
    let mut receipts = people.erase_all(Some(user_id(1))).await.unwrap();
    assert_eq!((receipts.len(), harness.begun()), (2, begun + 5));
    receipts.reverse();
    assert_eq!(harness.begin().await.erasures().list(9).await.unwrap(), receipts);
    assert_eq!(people_in(harness).await, stored[2..]);
    assert_eq!(recorded(harness).await, vec![event_by(AuditActor::Person, AuditKind::UserErased); 2]);
    assert!(harness.profiles.find_profile(user_id(2)).await.unwrap().is_some());
    assert_eq!(service(harness).erase_all(None).await.unwrap().len(), 2);
    assert_eq!(people_in(harness).await, []);
    assert_eq!(recorded(harness).await, vec![event_by(AuditActor::Operator, AuditKind::UserErased); 2]);
}
