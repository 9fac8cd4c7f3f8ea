mod operator;

use super::{CreatedPersonalToken, NewPersonalToken, PersonalTokenError, PersonalTokens};
use crate::account::{AccountActor, SignedInPerson};
use crate::ports::storage::MockPersonalTokenReader;
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::testing::{
    ADDRESS, locked, noon, person, scopes, seconds, secret, session, signed_in, store, units, user_id,
};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{FormId, PersonalTokenId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
use domain::secret::SecretKind;
use domain::user::User;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

type Outcome = Result<CreatedPersonalToken, PersonalTokenError>;

fn token_id(number: u128) -> PersonalTokenId {
    PersonalTokenId::from_uuid(Uuid::from_u128(number))
}

fn token(number: u128) -> PersonalToken {
    PersonalToken {
        id: token_id(number),
        user_id: user_id(1),
        name: PersonalTokenName::parse("Sunday notebook").unwrap(),
        token_hash: secret(SecretKind::PersonalAccessToken, 4).hash(),
        scopes: scopes("sleep"),
        created_at: noon() - seconds(3600),
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
    }
}

fn revoked(number: u128) -> PersonalToken {
    PersonalToken { revoked_at: Some(noon() - seconds(1)), ..token(number) }
}

fn expired(number: u128) -> PersonalToken {
    PersonalToken { expires_at: Some(noon()), ..token(number) }
}

/// A unit of work that finds this user with these tokens.
fn with(user: Option<User>, tokens: Vec<PersonalToken>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).return_once(move |_| Ok(user));
    unit.sessions
        .expect_find()
        .times(..=1)
        .withf(|user, id| *user == user_id(1) && *id == session(0).id)
        .returning(|_, _| Ok(Some(session(0))));
    unit.personal_tokens
        .expect_list()
        .times(..=1)
        .withf(|id| *id == user_id(1))
        .return_once(move |_| Ok(tokens));
    unit
}

fn new<'a>(scopes: &'a [&'a str]) -> NewPersonalToken<'a> {
    let form = FormId::from_uuid(Uuid::from_u128(5));
    NewPersonalToken { form, name: "Sunday notebook", scopes, expires_in_days: None }
}

fn tokens(units: &Arc<PreparedUnitsOfWork>) -> PersonalTokens {
    PersonalTokens { store: store(units), reader: Arc::new(MockPersonalTokenReader::new()) }
}

async fn create(
    units: impl IntoIterator<Item = MockUnitOfWork>,
    person: &SignedInPerson,
    new: NewPersonalToken<'_>,
) -> (Outcome, Arc<Endings>, RecordedEvents) {
    let units = Arc::new(PreparedUnitsOfWork::new(units));
    let outcome = tokens(&units).create(AccountActor::Person(person), new).await;
    (outcome, units.endings(), units.events())
}

/// Returns the error of a request that is rejected before the store is used.
async fn refusal(person: &SignedInPerson, new: NewPersonalToken<'_>) -> PersonalTokenError {
    let (outcome, endings, _) = create([], person, new).await;
    assert_eq!(endings.opened(), 0);
    outcome.unwrap_err()
}

/// Returns the error of a request that is rejected because of the stored state.
async fn refused_with(user: Option<User>, tokens: Vec<PersonalToken>) -> PersonalTokenError {
    let (outcome, endings, events) = create([with(user, tokens)], &signed_in(0), new(&["sleep"])).await;
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    assert_eq!(events.all(), []);
    outcome.unwrap_err()
}

#[tokio::test]
async fn t30_an_ended_session_cannot_create_a_token() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).return_once(|_| Ok(Some(person())));
    unit.sessions.expect_find().times(1).returning(|_, _| Ok(None));
    let (outcome, endings, events) = create([unit], &signed_in(0), new(&["sleep"])).await;
    assert!(matches!(outcome, Err(PersonalTokenError::SessionEnded)), "{outcome:?}");
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    assert_eq!(events.all(), []);
}

#[tokio::test]
async fn a_token_is_shown_once_and_stored_as_a_hash() {
    let mut unit = with(Some(person()), Vec::new());
    let stored: Arc<Mutex<Option<PersonalToken>>> = Arc::default();
    let noted = Arc::clone(&stored);
    unit.personal_tokens.expect_insert().times(1).returning(move |token| {
        *noted.lock().unwrap() = Some(token.clone());
        Ok(())
    });
    let new = NewPersonalToken { expires_in_days: Some(30), ..new(&["sleep", "profile"]) };
    let (outcome, endings, events) = create([unit], &signed_in(299), new).await;
    let created = outcome.unwrap();
    assert_eq!(created.secret.kind(), SecretKind::PersonalAccessToken);
    let expected = PersonalToken {
        id: token_id(5),
        token_hash: created.secret.hash(),
        scopes: scopes("profile sleep"),
        created_at: noon(),
        expires_at: Some(noon() + seconds(30 * 86_400)),
        ..token(0)
    };
    assert_eq!(created.token, expected);
    assert_eq!(stored.lock().unwrap().clone(), Some(expected));
    assert_eq!(endings.committed(), 1);
    let [event] = events.all().try_into().unwrap();
    assert_eq!(
        event,
        AuditEvent::new(event.id, noon(), AuditKind::PersonalTokenCreated, AuditActor::Person)
            .user(user_id(1))
            .subject(created.token.id.as_uuid())
            .from(AddressBlock::containing(ADDRESS))
    );
}

#[tokio::test]
async fn a_form_that_is_sent_again_creates_no_second_token() {
    for tokens in [vec![token(5)], vec![revoked(5)], (0..100).map(token).collect()] {
        let error = refused_with(Some(person()), tokens).await;
        assert!(matches!(error, PersonalTokenError::SentBefore), "{error}");
    }
}

#[tokio::test]
async fn a_token_can_be_created_without_expiry() {
    let mut unit = with(Some(person()), Vec::new());
    unit.personal_tokens.expect_insert().times(1).returning(|_| Ok(()));
    let (outcome, _, _) = create([unit], &signed_in(0), new(&["sleep"])).await;
    assert_eq!(outcome.unwrap().token.expires_at, None);
}

#[tokio::test]
async fn a_sign_in_of_five_minutes_ago_is_not_fresh_enough() {
    // Reported before errors of the form.
    let error = refusal(&signed_in(300), NewPersonalToken { name: "", ..new(&[]) }).await;
    assert!(matches!(error, PersonalTokenError::NotFresh), "{error}");
}

#[tokio::test]
async fn a_token_has_a_name_of_one_clean_line() {
    for name in ["", " x", "a\nb", "a\u{202e}b", "a\u{200b}b"] {
        let error = refusal(&signed_in(0), NewPersonalToken { name, ..new(&["sleep"]) }).await;
        assert!(matches!(error, PersonalTokenError::InvalidName), "{name:?}: {error}");
    }
}

#[tokio::test]
async fn a_token_holds_at_least_one_scope_and_none_that_a_person_cannot_grant() {
    for scopes in
        [&[] as &[&str], &["email"], &["sleep", "sleep:write"], &["tokens:introspect"], &["profile sleep"]]
    {
        let error = refusal(&signed_in(0), new(scopes)).await;
        assert!(matches!(error, PersonalTokenError::InvalidScopes), "{scopes:?}: {error}");
    }
}

#[tokio::test]
async fn a_token_ends_after_a_day_at_least_and_a_year_at_most() {
    for days in [0, 367, u32::MAX] {
        let new = NewPersonalToken { expires_in_days: Some(days), ..new(&["sleep"]) };
        let error = refusal(&signed_in(0), new).await;
        assert!(matches!(error, PersonalTokenError::InvalidLifetime), "{days}: {error}");
    }
}

#[tokio::test]
async fn a_person_has_at_most_100_live_tokens() {
    let full: Vec<_> = (100..200).map(token).collect();
    let error = refused_with(Some(person()), full.clone()).await;
    assert!(matches!(error, PersonalTokenError::TooManyTokens), "{error}");

    let mut room = full;
    room[7] = revoked(7);
    room.extend([revoked(201), expired(202)]);
    let mut unit = with(Some(person()), room);
    unit.personal_tokens.expect_insert().times(1).returning(|_| Ok(()));
    assert!(create([unit], &signed_in(0), new(&["sleep"])).await.0.is_ok());
}

#[tokio::test]
async fn a_locked_or_erased_person_gets_no_token() {
    for user in [None, Some(User { status: locked(), ..person() })] {
        let error = refused_with(user, Vec::new()).await;
        assert!(matches!(error, PersonalTokenError::AccountUnavailable), "{error}");
    }
}

#[tokio::test]
async fn tokens_are_listed_with_whether_they_are_valid() {
    let mut reader = MockPersonalTokenReader::new();
    reader
        .expect_list_personal_tokens()
        .times(1)
        .withf(|id| *id == user_id(1))
        .returning(|_| Ok(vec![token(1), revoked(2), expired(3)]));
    let tokens = PersonalTokens { reader: Arc::new(reader), ..tokens(&units([])) };
    let listed = tokens.list(user_id(1)).await.unwrap();
    let states: Vec<_> = listed.into_iter().map(|listed| (listed.token.id, listed.is_live)).collect();
    assert_eq!(states, [(token_id(1), true), (token_id(2), false), (token_id(3), false)]);
}

async fn revoke(found: u64) -> (u64, Vec<AuditEvent>) {
    let mut unit = MockUnitOfWork::default();
    unit.personal_tokens
        .expect_revoke()
        .times(1)
        .withf(|user, id, at| *user == user_id(1) && *id == Some(token_id(1)) && *at == noon())
        .returning(move |_, _, _| Ok(found));
    let units = units([unit]);
    let revoked = tokens(&units).revoke(AccountActor::Person(&signed_in(300)), Some(token_id(1))).await;
    assert_eq!(units.endings().committed(), 1);
    (revoked.unwrap(), units.events().all())
}

#[tokio::test]
async fn a_token_of_the_person_is_revoked() {
    let (revoked, events) = revoke(1).await;
    assert_eq!(revoked, 1);
    let [event] = events.try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::PersonalTokenRevoked, AuditActor::Person));
    assert_eq!((event.user_id, event.subject), (Some(user_id(1)), Some(token_id(1).as_uuid())));
    assert_eq!((event.count, event.address), (None, Some(AddressBlock::containing(ADDRESS))));
}

#[tokio::test]
async fn a_token_of_another_or_that_is_revoked_already_leaves_no_event() {
    assert_eq!(revoke(0).await, (0, Vec::new()));
}
