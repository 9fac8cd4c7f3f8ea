use super::{NewUser, UserChange, Users};
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::ports::storage::{MockProfileReader, StorageError};
use crate::testing::{drawn_uuid, locked, noon, one, person, store, units, user_id};
use chrono::Days;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, BirthDate, BodyHeight, BodyWeight, Email, ProfileOrigin, User, UserStatus};
use std::sync::Arc;

fn users(units: &Arc<PreparedUnitsOfWork>) -> Users {
    Users { store: store(units), reader: Arc::new(MockProfileReader::new()) }
}

fn new_user() -> NewUser {
    let User { email, home_timezone, .. } = person();
    NewUser { id: None, email, home_timezone, biology: Biology::default() }
}

/// A unit of work that expects this user to be inserted.
fn inserting(user: User) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_insert().times(1).withf(move |new| *new == user).returning(|_| Ok(()));
    unit
}

/// An event of the operator.
fn operators(kind: AuditKind) -> AuditEvent {
    event(AuditActor::Operator, kind)
}

#[tokio::test]
async fn a_new_person_is_active_with_a_random_id() {
    let expected = User { id: UserId::from_uuid(drawn_uuid(1)), created_at: noon(), ..person() };
    let (units, endings) = one(inserting(expected.clone()));
    let events = units.events();
    let created = users(&units).create(new_user()).await.unwrap();
    assert_eq!(created, expected);
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[operators(AuditKind::UserCreated).user(expected.id)]);
}

#[tokio::test]
async fn a_person_can_be_created_with_an_existing_id() {
    let mut unit = inserting(User { id: user_id(7), created_at: noon(), ..person() });
    unit.erasures.expect_was_erased().times(1).returning(|_| Ok(false));
    let (units, _) = one(unit);
    let new = NewUser { id: Some(user_id(7)), ..new_user() };
    let created = users(&units).create(new).await.unwrap();
    assert_eq!(created.id, user_id(7));
}

#[tokio::test]
async fn a_birth_date_in_the_future_is_rejected() {
    let birth_date = BirthDate::new(noon().date_naive() + Days::new(2)).ok();
    let biology = Biology { birth_date, ..Biology::default() };
    let (units, endings) = one(MockUnitOfWork::default());
    let outcome = users(&units).create(NewUser { biology, ..new_user() }).await;
    assert_eq!(outcome.unwrap_err().to_string(), "birth date is in the future");
    assert_eq!(endings.opened(), 0);
    let (units, endings) = one(MockUnitOfWork::default());
    let change = UserChange { biology, ..UserChange::default() };
    let outcome = users(&units).change(user_id(1), change).await;
    assert_eq!(outcome.unwrap_err().to_string(), "birth date is in the future");
    assert_eq!(endings.opened(), 0);
}

/// Changes this user; asserts that the result was stored, and returns it.
async fn change(user: User, wanted: UserChange) -> User {
    change_with_events(user, wanted).await.0
}

/// Changes this user; returns them and the audit events.
async fn change_with_events(user: User, change: UserChange) -> (User, RecordedEvents) {
    let locks = user.status.is_active() && change.locked == Some(true);
    let unit = if locks { ending_everything() } else { MockUnitOfWork::default() };
    change_in(unit, user, change).await
}

/// A unit of work that expects user 1's links and sessions to be deleted once.
fn ending_everything() -> MockUnitOfWork {
    let mut unit = deleting_links();
    let sessions = unit.sessions.expect_delete_of_user().times(1);
    sessions.withf(|id, except| *id == user_id(1) && except.is_none()).returning(|_, _| Ok(2));
    unit
}

/// Changes this user in a unit of work with further expectations.
async fn change_in(mut unit: MockUnitOfWork, user: User, change: UserChange) -> (User, RecordedEvents) {
    let stored = Arc::new(std::sync::Mutex::new(None));
    let noted = Arc::clone(&stored);
    unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).return_once(move |_| Ok(Some(user)));
    unit.users.expect_update().times(1).returning(move |user| {
        *noted.lock().unwrap() = Some(user.clone());
        Ok(true)
    });
    unit.users.expect_record_sources().returning(|_, sources| {
        assert!(sources.iter().all(|source| source.origin == ProfileOrigin::Operator && source.at == noon()));
        Ok(())
    });
    let (units, endings) = one(unit);
    let events = units.events();
    let changed = users(&units).change(user_id(1), change).await.unwrap();
    assert_eq!(stored.lock().unwrap().as_ref(), Some(&changed));
    assert_eq!(endings.committed(), 1);
    (changed, events)
}

/// Asserts the kinds of the events of a change.
async fn assert_reported(user: User, change: UserChange, kinds: &[AuditKind]) {
    let (_, events) = change_with_events(user, change).await;
    let expected: Vec<_> = kinds.iter().map(|kind| operators(*kind).user(user_id(1))).collect();
    assert_events(&events, &expected);
}

#[tokio::test]
async fn changing_locking_and_unlocking_are_separate_events_and_no_change_is_none() {
    let already = User { status: locked(), ..person() };
    let moved = UserChange { home_timezone: TimeZone::parse("Asia/Tokyo").ok(), ..UserChange::default() };
    assert_reported(person(), UserChange::default(), &[]).await;
    assert_reported(person(), moved.clone(), &[AuditKind::UserChanged]).await;
    assert_reported(person(), lock(true), &[AuditKind::UserLocked]).await;
    assert_reported(person(), lock(false), &[]).await;
    assert_reported(already.clone(), lock(true), &[]).await;
    assert_reported(already.clone(), lock(false), &[AuditKind::UserUnlocked]).await;
    assert_reported(already.clone(), moved.clone(), &[AuditKind::UserChanged]).await;
    let both = UserChange { locked: Some(true), ..moved };
    assert_reported(person(), both, &[AuditKind::UserChanged, AuditKind::UserLocked]).await;
}

#[tokio::test]
async fn an_empty_change_has_no_effect() {
    assert_eq!(change(person(), UserChange::default()).await, person());
}

#[tokio::test]
async fn only_address_and_time_zone_are_changed() {
    let email = Email::parse("new@example.org").unwrap();
    let home_timezone = TimeZone::parse("Asia/Tokyo").unwrap();
    let wanted = UserChange {
        email: Some(email.clone()),
        home_timezone: Some(home_timezone),
        ..UserChange::default()
    };
    let (changed, _) = change_in(deleting_links(), person(), wanted).await;
    assert_eq!(changed, User { email, home_timezone, ..person() });
}

/// A unit of work that expects user 1's links to be deleted once.
fn deleting_links() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let links = &mut unit.password_links;
    links.expect_delete_of_user().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(1));
    unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(0));
    unit
}

#[tokio::test]
async fn a_link_that_went_to_the_former_address_chooses_no_password() {
    let wanted = UserChange { email: Email::parse("new@example.org").ok(), ..UserChange::default() };
    let (_, events) = change_in(deleting_links(), person(), wanted).await;
    assert_events(&events, &[operators(AuditKind::UserChanged).user(user_id(1))]);
}

#[tokio::test]
async fn the_same_address_once_more_leaves_the_links() {
    let same = UserChange { email: Some(person().email), ..UserChange::default() };
    // The mock would reject an unexpected deletion.
    assert_eq!(change(person(), same).await, person());
}

#[tokio::test]
async fn omitted_biological_values_are_unchanged() {
    let known = Biology { height: BodyHeight::from_centimetres(180.0).ok(), ..Biology::default() };
    let weight = BodyWeight::from_kilograms(80.0).ok();
    let wanted = UserChange { biology: Biology { weight, ..Biology::default() }, ..UserChange::default() };
    let changed = change(User { biology: known, ..person() }, wanted).await;
    assert_eq!(changed.biology, Biology { weight, ..known });
}

fn lock(locked: bool) -> UserChange {
    UserChange { locked: Some(locked), ..UserChange::default() }
}

#[tokio::test]
async fn a_user_is_locked_from_now_on_and_unlocked_again() {
    let already = || User { status: locked(), ..person() };
    for (before, wanted, after) in [
        (person(), lock(true), UserStatus::Locked { at: noon() }),
        (already(), lock(true), locked()),
        (already(), lock(false), UserStatus::Active),
        (already(), UserChange::default(), locked()),
    ] {
        assert_eq!(change(before, wanted).await.status, after);
    }
}

#[tokio::test]
async fn a_person_who_is_shown_to_the_operator_leaves_an_event() {
    for (found, expected) in
        [(Some(person()), vec![operators(AuditKind::ProfileShown).user(user_id(1))]), (None, Vec::new())]
    {
        let mut reader = MockProfileReader::new();
        let answer = found.clone();
        reader.expect_find_profile().return_once(move |_| Ok(answer));
        let units = units([MockUnitOfWork::default()]);
        let users = Users { reader: Arc::new(reader), ..users(&units) };
        assert_eq!(users.show(user_id(1)).await.unwrap(), found);
        assert_events(&units.events(), &expected);
    }
}

#[tokio::test]
async fn nobody_is_shown_to_the_operator_whose_event_cannot_be_stored() {
    let mut reader = MockProfileReader::new();
    reader.expect_find_profile().return_once(|_| Ok(Some(person())));
    let users = Users { reader: Arc::new(reader), ..users(&units([])) };
    assert!(matches!(users.show(user_id(1)).await, Err(StorageError::Unavailable)));
}
