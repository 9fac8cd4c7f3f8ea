use super::{one, unavailable};
use crate::audit::testing::{assert_events, event};
use crate::operator::RevokePersonalTokens;
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{clock, entropy, noon, user_id};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::PersonalTokenId;
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
