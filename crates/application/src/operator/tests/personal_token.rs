use super::{one, unavailable};
use crate::audit::testing::{assert_events, event};
use crate::operator::{IssuePersonalToken, IssuePersonalTokenCommand, RevokePersonalTokens};
use crate::personal_token::CreatePersonalTokenError;
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{clock, entropy, locked, noon, person, scopes, seconds, secret, user_id};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{PersonalTokenId, UserId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
use domain::scope::{Scope, ScopeSet};
use domain::secret::SecretKind;
use domain::user::User;
use uuid::Uuid;

fn token_id() -> PersonalTokenId {
    PersonalTokenId::from_uuid(Uuid::from_u128(0x70_0001))
}

/// A unit of work in which this many tokens of user 1 are revoked.
fn revoking(token: Option<PersonalTokenId>, revoked: u64) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.personal_tokens
        .expect_revoke()
        .times(1)
        .withf(move |user, asked, at| *user == user_id(1) && *asked == token && *at == noon())
        .returning(move |_, _, _| Ok(revoked));
    unit
}

fn revoked_event(revoked: u64) -> AuditEvent {
    let event = event(AuditActor::Operator, AuditKind::PersonalTokenRevoked);
    event.user(user_id(1)).count(revoked)
}

async fn assert_revoked(token: Option<PersonalTokenId>, revoked: u64, expected: &[AuditEvent]) {
    let (units, endings) = one(revoking(token, revoked));
    let events = units.events();
    let outcome = RevokePersonalTokens::new(units, entropy(), clock()).run(user_id(1), token).await;
    assert_eq!(outcome.unwrap(), revoked);
    assert_eq!(endings.committed(), 1);
    assert_events(&events, expected);
}

#[tokio::test]
async fn the_event_of_revoking_all_tokens_has_their_number() {
    assert_revoked(None, 3, &[revoked_event(3)]).await;
}

#[tokio::test]
async fn the_event_of_a_revocation_names_the_token() {
    assert_revoked(Some(token_id()), 1, &[revoked_event(1).subject(token_id().as_uuid())]).await;
}

#[tokio::test]
async fn already_revoked_tokens_are_not_reported_again() {
    assert_revoked(Some(token_id()), 0, &[]).await;
    assert_revoked(None, 0, &[]).await;
}

#[tokio::test]
async fn what_the_store_cannot_revoke_is_an_error_and_nothing_is_recorded() {
    let refused = RevokePersonalTokens::new(unavailable(), entropy(), clock()).run(user_id(1), None).await;
    assert!(matches!(refused, Err(StorageError::Unavailable)));

    let mut unit = MockUnitOfWork::default();
    unit.personal_tokens.expect_revoke().returning(|_, _, _| Err(StorageError::Unavailable));
    let (units, endings) = one(unit);
    let events = units.events();
    let refused = RevokePersonalTokens::new(units, entropy(), clock()).run(user_id(1), None).await;
    assert!(matches!(refused, Err(StorageError::Unavailable)));
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
}

const COMMAND: IssuePersonalTokenCommand<'_> = IssuePersonalTokenCommand {
    user_id: UserId::from_uuid(Uuid::nil()),
    name: "Assistant",
    scopes: ScopeSet::CONSENTABLE,
    expires_in_days: Some(90),
};

fn command() -> IssuePersonalTokenCommand<'static> {
    IssuePersonalTokenCommand { user_id: user_id(1), ..COMMAND }
}

/// A unit of work that finds this user with these tokens.
fn issuing(user: Option<User>, tokens: Vec<PersonalToken>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().withf(|id| *id == user_id(1)).return_once(move |_| Ok(user));
    unit.personal_tokens.expect_list().return_once(move |_| Ok(tokens));
    unit
}

#[tokio::test]
async fn an_issued_token_is_stored_as_a_hash_and_recorded_as_the_operators() {
    let mut unit = issuing(Some(person()), Vec::new());
    unit.personal_tokens.expect_insert().times(1).returning(|_| Ok(()));
    let (units, endings) = one(unit);
    let events = units.events();
    let created = IssuePersonalToken::new(units, entropy(), clock()).run(command()).await.unwrap();
    assert_eq!(created.token.token_hash, created.secret.hash());
    assert_eq!(
        (created.token.user_id, created.token.scopes),
        (user_id(1), scopes("profile sleep supplements"))
    );
    assert_eq!(created.token.expires_at, Some(noon() + seconds(90 * 86_400)));
    assert_eq!(endings.committed(), 1);
    let issued = event(AuditActor::Operator, AuditKind::PersonalTokenCreated);
    assert_events(&events, &[issued.user(user_id(1)).subject(created.token.id.as_uuid())]);
}

#[tokio::test]
async fn an_invalid_request_is_rejected_before_the_store_is_used() {
    let write = ScopeSet::from_iter([Scope::SleepWrite]);
    for (wish, expected) in [
        (IssuePersonalTokenCommand { name: "", ..command() }, "name"),
        (IssuePersonalTokenCommand { scopes: ScopeSet::EMPTY, ..command() }, "scopes"),
        (IssuePersonalTokenCommand { scopes: write, ..command() }, "scopes"),
        (IssuePersonalTokenCommand { expires_in_days: Some(367), ..command() }, "lifetime"),
    ] {
        let refused = IssuePersonalToken::new(unavailable(), entropy(), clock()).run(wish).await.unwrap_err();
        let fits = match refused {
            CreatePersonalTokenError::InvalidName => expected == "name",
            CreatePersonalTokenError::InvalidScopes => expected == "scopes",
            CreatePersonalTokenError::InvalidLifetime => expected == "lifetime",
            _ => false,
        };
        assert!(fits, "{expected}: {refused}");
    }
}

#[tokio::test]
async fn nobody_gets_more_than_100_tokens_and_a_locked_person_none() {
    let live = |number: u128| PersonalToken {
        id: PersonalTokenId::from_uuid(Uuid::from_u128(number)),
        user_id: user_id(1),
        name: PersonalTokenName::parse("Assistant").unwrap(),
        token_hash: secret(SecretKind::PersonalAccessToken, 4).hash(),
        scopes: scopes("sleep"),
        created_at: noon(),
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
    };
    for (user, tokens, is_full) in [
        (Some(person()), (0..100).map(live).collect(), true),
        (Some(User { status: locked(), ..person() }), Vec::new(), false),
        (None, Vec::new(), false),
    ] {
        let (units, endings) = one(issuing(user, tokens));
        let refused = IssuePersonalToken::new(units, entropy(), clock()).run(command()).await.unwrap_err();
        assert_eq!(matches!(refused, CreatePersonalTokenError::TooManyTokens), is_full, "{refused}");
        assert_eq!(matches!(refused, CreatePersonalTokenError::AccountUnavailable), !is_full, "{refused}");
        assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    }
}
