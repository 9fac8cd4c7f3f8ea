//! Tokens that the operator creates and revokes.

use super::{token, token_id, tokens};
use crate::account::AccountActor;
use crate::audit::testing::{assert_events, event};
use crate::personal_token::{NewPersonalToken, PersonalTokenError};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{locked, noon, person, scopes, seconds, units, user_id};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{FormId, PersonalTokenId};
use domain::personal_token::PersonalToken;
use domain::user::User;
use uuid::Uuid;

fn operator() -> AccountActor<'static> {
    AccountActor::Operator(user_id(1))
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
    let units = units([revoking(token, revoked)]);
    assert_eq!(tokens(&units).revoke(operator(), token).await.unwrap(), revoked);
    assert_eq!(units.endings().committed(), 1);
    assert_events(&units.events(), expected);
}

#[tokio::test]
async fn the_event_of_revoking_all_tokens_has_their_number() {
    assert_revoked(None, 3, &[revoked_event(3)]).await;
}

#[tokio::test]
async fn the_event_of_a_revocation_names_the_token() {
    assert_revoked(Some(token_id(7)), 1, &[revoked_event(1).subject(token_id(7).as_uuid())]).await;
}

#[tokio::test]
async fn already_revoked_tokens_are_not_reported_again() {
    assert_revoked(Some(token_id(7)), 0, &[]).await;
    assert_revoked(None, 0, &[]).await;
}

#[tokio::test]
async fn what_the_store_cannot_revoke_is_an_error_and_nothing_is_recorded() {
    let refused = tokens(&units([])).revoke(operator(), None).await;
    assert!(matches!(refused, Err(StorageError::Unavailable)));

    let mut unit = MockUnitOfWork::default();
    unit.personal_tokens.expect_revoke().returning(|_, _, _| Err(StorageError::Unavailable));
    let units = units([unit]);
    let refused = tokens(&units).revoke(operator(), None).await;
    assert!(matches!(refused, Err(StorageError::Unavailable)));
    assert_eq!((units.endings().committed(), units.endings().rolled_back()), (0, 1));
    assert_events(&units.events(), &[]);
}

fn new() -> NewPersonalToken<'static> {
    NewPersonalToken {
        form: FormId::from_uuid(Uuid::from_u128(5)),
        name: "Assistant",
        scopes: &["profile", "sleep", "supplements"],
        expires_in_days: Some(90),
    }
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
    let units = units([unit]);
    let created = tokens(&units).create(operator(), new()).await.unwrap();
    assert_eq!(created.token.token_hash, created.secret.hash());
    assert_eq!(
        (created.token.user_id, created.token.scopes),
        (user_id(1), scopes("profile sleep supplements"))
    );
    assert_eq!(created.token.expires_at, Some(noon() + seconds(90 * 86_400)));
    assert_eq!(units.endings().committed(), 1);
    let issued = event(AuditActor::Operator, AuditKind::PersonalTokenCreated);
    assert_events(&units.events(), &[issued.user(user_id(1)).subject(created.token.id.as_uuid())]);
}

#[tokio::test]
async fn an_invalid_request_is_rejected_before_the_store_is_used() {
    for (wish, expected) in [
        (NewPersonalToken { name: "", ..new() }, "name"),
        (NewPersonalToken { scopes: &[], ..new() }, "scopes"),
        (NewPersonalToken { scopes: &["sleep:write"], ..new() }, "scopes"),
        (NewPersonalToken { expires_in_days: Some(367), ..new() }, "lifetime"),
    ] {
        let refused = tokens(&units([])).create(operator(), wish).await.unwrap_err();
        let fits = match refused {
            PersonalTokenError::InvalidName => expected == "name",
            PersonalTokenError::InvalidScopes => expected == "scopes",
            PersonalTokenError::InvalidLifetime => expected == "lifetime",
            _ => false,
        };
        assert!(fits, "{expected}: {refused}");
    }
}

#[tokio::test]
async fn nobody_gets_more_than_100_tokens_and_a_locked_person_none() {
    for (user, found, is_full) in [
        (Some(person()), (100..200).map(token).collect(), true),
        (Some(User { status: locked(), ..person() }), Vec::new(), false),
        (None, Vec::new(), false),
    ] {
        let units = units([issuing(user, found)]);
        let refused = tokens(&units).create(operator(), new()).await.unwrap_err();
        assert_eq!(matches!(refused, PersonalTokenError::TooManyTokens), is_full, "{refused}");
        assert_eq!(matches!(refused, PersonalTokenError::AccountUnavailable), !is_full, "{refused}");
        assert_eq!((units.endings().committed(), units.endings().rolled_back()), (0, 1));
    }
}
