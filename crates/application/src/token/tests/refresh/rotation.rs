//! Rotating refresh tokens of public apps.

use super::*;
use domain::client::ClientKind;
use domain::refresh_token::{RotatingToken, Rotation, RotationOutcome};
use domain::secret::SecretBytes;
use std::sync::Mutex;

fn public_app() -> Client {
    Client { kind: ClientKind::PublicApp, require_pkce: true, ..app() }
}

fn token() -> RotatingToken {
    RotatingToken::first(&SecretBytes::new([7; 32]))
}

/// A reader that finds the public app's grant by the family of the token.
fn family_reader(last_used_seconds_ago: i64) -> MockGrantReader {
    let grant = Grant {
        refresh_token_hash: token().family_hash(),
        newest_token_hash: Some(token().hash()),
        last_used_at: Some(noon() - seconds(last_used_seconds_ago)),
        ..grant()
    };
    grant_reader(1, move |hash, _| {
        assert_eq!(*hash, token().family_hash());
        Some(GrantWithUser { grant: grant.clone(), user_status: UserStatus::Active })
    })
}

/// A unit of work in which the store returns this outcome, and the rotation that it received.
fn deciding(outcome: RotationOutcome) -> (MockUnitOfWork, Arc<Mutex<Option<Rotation>>>) {
    let mut unit = MockUnitOfWork::default();
    let asked = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&asked);
    unit.grants.expect_rotate().times(1).returning(move |rotation| {
        *noted.lock().unwrap() = Some(*rotation);
        Ok(outcome)
    });
    (unit, asked)
}

async fn use_token(unit: MockUnitOfWork, last_used_seconds_ago: i64) -> (Outcome, Arc<Endings>) {
    let units = PreparedUnitsOfWork::new([unit]);
    let endings = units.endings();
    let tokens = refreshing(family_reader(last_used_seconds_ago), units);
    (present(&tokens, &public_app(), token().expose()).await, endings)
}

// RFC 9700 section 4.14.2
#[tokio::test]
async fn the_newest_token_is_replaced_by_one_of_its_family() {
    let (unit, asked) = deciding(RotationOutcome::Replaced);
    let (outcome, endings) = use_token(unit, 60).await;
    let next = outcome.unwrap().next.unwrap();
    let rotation = asked.lock().unwrap().unwrap();
    assert_eq!((rotation.user_id, rotation.grant_id), (user_id(1), grant_id(1)));
    assert_eq!((rotation.presented, rotation.next, rotation.at), (token().hash(), next.hash(), noon()));
    assert_ne!(next.hash(), token().hash());
    assert_eq!(next.family_hash(), token().family_hash());
    assert_eq!(token().unseal(&rotation.sealed_next).unwrap().expose(), next.expose());
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn a_rotation_records_its_use_once_an_hour() {
    let (unit, _) = deciding(RotationOutcome::Replaced);
    // Separately: two updates of a grant in one unit of work would deadlock with an erasure.
    let units = PreparedUnitsOfWork::new([unit, recording_use()]);
    let endings = units.endings();
    let tokens = refreshing(family_reader(3600), units);
    assert!(present(&tokens, &public_app(), token().expose()).await.is_ok());
    assert_eq!(endings.committed(), 2);
}

// RFC 9700 section 4.14.2
#[tokio::test]
async fn after_a_lost_response_the_same_successor_is_returned() {
    let successor = token().next(&SecretBytes::new([9; 32]));
    let (unit, _) = deciding(RotationOutcome::Repeated(token().seal(&successor)));
    let (outcome, endings) = use_token(unit, 60).await;
    assert_eq!(outcome.unwrap().next.unwrap().expose(), successor.expose());
    assert_eq!(endings.committed(), 0);
}

// RFC 9700 section 4.14.2
#[tokio::test]
async fn a_reused_token_gets_no_access_and_the_revocation_is_audited() {
    let (unit, _) = deciding(RotationOutcome::Reused);
    let units = PreparedUnitsOfWork::new([unit]);
    let (endings, events) = (units.endings(), units.events());
    let tokens = refreshing(family_reader(60), units);
    let outcome = present(&tokens, &public_app(), token().expose()).await;
    assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))));
    let expected = event(AuditActor::Client, AuditKind::RefreshTokenReused).user(user_id(1));
    let expected = expected.client(client_id(1)).subject(grant_id(1).as_uuid()).from(used_from().address);
    assert_events(&events, &[expected]);
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn a_token_whose_grant_was_revoked_meanwhile_gets_no_access() {
    let (unit, _) = deciding(RotationOutcome::NotLive);
    let (outcome, endings) = use_token(unit, 60).await;
    assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))));
    assert_eq!(endings.committed(), 0);
}

#[tokio::test]
async fn an_invalid_scope_does_not_use_up_the_token() {
    let (token, from) = (token(), used_from());
    let presented = PresentedRefreshToken { scope: Some("supplements"), ..presented(token.expose(), &from) };
    let outcome = refreshing(family_reader(60), nothing_to_write()).refresh(&public_app(), presented).await;
    assert!(matches!(outcome, Err(TokenError::InvalidScope)));
}

#[tokio::test]
async fn another_resource_does_not_use_up_the_token() {
    let (token, from) = (token(), used_from());
    let resource = Some(Resource::Mcp);
    let presented = PresentedRefreshToken { resource, ..presented(token.expose(), &from) };
    let outcome = refreshing(family_reader(60), nothing_to_write()).refresh(&public_app(), presented).await;
    assert!(matches!(outcome, Err(TokenError::InvalidTarget)));
}
