use super::SandboxPeople;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockErasureRepository, MockSandboxReader, StorageError, UniqueKey};
use crate::synthetic::{SyntheticPerson, days_before};
use crate::testing::{drawn_uuid, noon, person, store, user_id};
use chrono::{Days, NaiveDate};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::sandbox::{MAX_PER_OWNER, SandboxPerson, Story};
use domain::time::TimeZone;
use domain::user::User;
use std::sync::Arc;

/// The day of the fixed clock, in every zone of the stories.
fn today() -> NaiveDate {
    noon().date_naive()
}

fn sandbox_person(number: u128, story: Story, days_behind: u64) -> SandboxPerson {
    let records_until = today() - Days::new(1 + days_behind);
    SandboxPerson { user_id: user_id(number), story, owner: None, records_until }
}

fn user_of(person: &SandboxPerson) -> User {
    let home_timezone = TimeZone::parse(person.story.time_zone()).unwrap();
    User { id: person.user_id, email: person.email(), home_timezone, ..crate::testing::person() }
}

fn prepared(units: Vec<MockUnitOfWork>) -> (Arc<PreparedUnitsOfWork>, Arc<Endings>) {
    let units = PreparedUnitsOfWork::new(units);
    let endings = units.endings();
    (Arc::new(units), endings)
}

fn listing(people: &[SandboxPerson], owner: Option<UserId>) -> Arc<MockSandboxReader> {
    let people = people.to_vec();
    let mut reader = MockSandboxReader::new();
    reader
        .expect_list_sandbox_people()
        .withf(move |wanted| *wanted == owner)
        .return_once(move |_| Ok(people));
    Arc::new(reader)
}

fn service(units: &Arc<PreparedUnitsOfWork>, reader: Arc<MockSandboxReader>) -> SandboxPeople {
    SandboxPeople { store: store(units), reader }
}

/// A unit of work that expects one new person with this story, and all their records.
fn creating(story: Story, owner: Option<UserId>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users
        .expect_insert()
        .times(1)
        .withf(move |user| {
            user.email.is_sandbox()
                && user.email.as_str().starts_with(story.as_str())
                && user.created_at == noon()
        })
        .returning(|_| Ok(()));
    let until = today().pred_opt().unwrap();
    unit.sandbox
        .expect_insert()
        .times(1)
        .withf(move |person| (person.story, person.owner, person.records_until) == (story, owner, until))
        .returning(|_| Ok(()));
    unit.supplements
        .expect_insert()
        .times(1)
        .withf(|labels| labels.iter().all(|(key, _)| key.owner().is_some()))
        .returning(|_| Ok(()));
    unit.sleep.expect_insert().times(1..).returning(|_, _| Ok(()));
    unit.intake_logs.expect_insert().times(1..).returning(|_, _| Ok(()));
    unit
}

#[tokio::test]
async fn a_person_of_each_story_is_created_with_their_records_and_audited() {
    let stories = vec![Story::Gaps, Story::ThreeYears];
    let units = stories.iter().map(|story| creating(*story, None)).collect();
    let (units, endings) = prepared(units);
    let events = units.events();
    let people = service(&units, Arc::default()).create(None, &stories).await.unwrap();
    assert_eq!(people.iter().map(|person| person.story).collect::<Vec<_>>(), stories);
    let created =
        |person: &SandboxPerson| event(AuditActor::Operator, AuditKind::UserCreated).user(person.user_id);
    assert_events(&events, &people.iter().map(created).collect::<Vec<_>>());
    assert_eq!(endings.committed(), 2);
}

#[tokio::test]
async fn a_developer_creates_sandbox_people() {
    let owner = user_id(1);
    let mut unit = creating(Story::NapsOnly, Some(owner));
    unit.users.expect_find().times(1).withf(move |id| *id == owner).returning(|_| Ok(Some(person())));
    let existing: Vec<_> = (1..MAX_PER_OWNER).map(|number| user_id(100 + number as u128)).collect();
    unit.sandbox.expect_list_of_owner().return_once(move |_| Ok(existing));
    let (units, _) = prepared(vec![unit]);
    let people = service(&units, Arc::default()).create(Some(owner), &[Story::NapsOnly]).await.unwrap();
    assert_eq!(people[0].owner, Some(owner));
    let created = event(AuditActor::Person, AuditKind::UserCreated).user(people[0].user_id);
    assert_events(&units.events(), &[created]);
}

/// A unit of work that finds a sandbox person.
fn finding(person: SandboxPerson) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(move |_| Ok(Some(user_of(&person))));
    unit.sandbox.expect_find().times(1).returning(move |_| Ok(Some(person)));
    unit
}

async fn add(
    people: &[SandboxPerson],
    units: Vec<MockUnitOfWork>,
) -> (Result<usize, StorageError>, Arc<Endings>) {
    let (units, endings) = prepared(units);
    (service(&units, listing(people, None)).add_days().await, endings)
}

#[tokio::test]
async fn the_days_since_the_last_run_are_added_once() {
    let behind = sandbox_person(1, Story::RegularSleeper, 3);
    let mut unit = finding(behind);
    let until = today().pred_opt().unwrap();
    unit.sandbox
        .expect_set_records_until()
        .times(1)
        .withf(move |id, day| (*id, *day) == (behind.user_id, until))
        .returning(|_, _| Ok(true));
    let zone = TimeZone::parse(behind.story.time_zone()).unwrap();
    let days = days_before(today(), behind.story);
    let expected = SyntheticPerson::new(behind.user_id, behind.story, zone).sessions(&days[days.len() - 3..]);
    let stored = expected.clone();
    unit.sleep
        .expect_insert()
        .times(1)
        .withf(move |id, sessions| *id == behind.user_id && sessions == stored.as_slice())
        .returning(|_, _| Ok(()));
    unit.intake_logs.expect_insert().times(1).returning(|_, _| Ok(()));
    let (added, endings) = add(&[behind], vec![unit]).await;
    assert!(added.unwrap() >= expected.len() && expected.len() >= 3);
    assert_eq!(endings.committed(), 1);

    // Another server has added them in the meantime: the list is older than the row.
    let (added, _) = add(&[behind], vec![finding(SandboxPerson { records_until: until, ..behind })]).await;
    assert_eq!(added.unwrap(), 0);
}

#[tokio::test]
async fn a_person_who_was_erased_in_the_meantime_gets_nothing() {
    let behind = sandbox_person(1, Story::RegularSleeper, 3);
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(None));
    assert_eq!(add(&[behind], vec![unit]).await.0.unwrap(), 0);
}

#[tokio::test]
async fn conflicting_records_of_one_person_do_not_affect_others() {
    let people = [1, 2].map(|number| sandbox_person(number, Story::RegularSleeper, 1));
    let units = people.iter().map(|person| {
        let mut unit = finding(*person);
        unit.sandbox.expect_set_records_until().times(1).returning(|_, _| Ok(true));
        let is_first = person.user_id == user_id(1);
        unit.sleep.expect_insert().times(1).returning(move |_, _| {
            if is_first { Err(StorageError::Conflict(UniqueKey::SleepSession)) } else { Ok(()) }
        });
        unit.intake_logs.expect_insert().returning(|_, _| Ok(()));
        unit
    });
    let (added, endings) = add(&people, units.collect()).await;
    assert!(added.unwrap() > 0);
    assert_eq!(endings.committed(), 2);
}

#[tokio::test]
async fn a_store_that_fails_is_reported() {
    let behind = sandbox_person(1, Story::RegularSleeper, 1);
    let mut unit = finding(behind);
    unit.sandbox.expect_set_records_until().returning(|_, _| Err(StorageError::Unavailable));
    let (added, endings) = add(&[behind], vec![unit]).await;
    assert!(matches!(added, Err(StorageError::Unavailable)));
    assert_eq!(endings.committed(), 0);
}

/// A unit of work that erases a sandbox person, if they have this row.
fn erasing(person: SandboxPerson, row: Option<SandboxPerson>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(move |_| Ok(Some(user_of(&person))));
    unit.sandbox.expect_find().times(1).returning(move |_| Ok(row));
    unit.sandbox.expect_list_of_owner().returning(|_| Ok(Vec::new()));
    unit.erasures.expect_erase().returning(|_, _| Ok(true));
    unit
}

#[tokio::test]
async fn all_people_are_erased_together_with_a_receipt_and_an_anonymous_event_each() {
    for (owner, actor) in [(None, AuditActor::Operator), (Some(user_id(9)), AuditActor::Person)] {
        let people = [1, 2].map(|number| SandboxPerson { owner, ..sandbox_person(number, Story::Gaps, 0) });
        let (units, endings) =
            prepared(people.iter().map(|person| erasing(*person, Some(*person))).collect());
        let events = units.events();
        let receipts = service(&units, listing(&people, owner)).erase_all(owner).await.unwrap();
        assert_eq!((receipts.len(), receipts[0].id.as_uuid()), (2, drawn_uuid(1)));
        assert_events(&events, &[event(actor, AuditKind::UserErased), event(actor, AuditKind::UserErased)]);
        assert_eq!(endings.committed(), 2);
    }
}

#[tokio::test]
async fn nobody_else_is_erased_even_if_the_list_names_them() {
    let listed = sandbox_person(1, Story::Gaps, 0);
    let of_another = SandboxPerson { owner: Some(user_id(8)), ..listed };
    // A real person, and another developer's.
    for row in [None, Some(of_another)] {
        let mut unit = erasing(listed, row);
        unit.erasures = MockErasureRepository::default();
        let (units, endings) = prepared(vec![unit]);
        let owner = Some(user_id(9));
        assert_eq!(service(&units, listing(&[listed], owner)).erase_all(owner).await.unwrap(), []);
        assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    }
}

#[tokio::test]
async fn people_are_listed_by_owner() {
    let people = [sandbox_person(1, Story::Gaps, 0)];
    for owner in [None, Some(user_id(9))] {
        let (units, _) = prepared(Vec::new());
        let listed = service(&units, listing(&people, owner)).list(owner).await.unwrap();
        assert_eq!(listed, people);
    }
}
