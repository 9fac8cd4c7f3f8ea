//! The data endpoints with a personal access token (decisions 3, 7 and 9).

use super::world::{
    ENDPOINTS, OTHER, USER, World, assert_problem, assert_uncounted, parts, paths, rate_headers,
};
use crate::tests::{NOW, Parts, port};
use application::ports::storage::PersonalAccess;
use chrono::TimeDelta;
use domain::id::{PersonalTokenId, UserId};
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretBytes, SecretKind};
use uuid::Uuid;

/// Has every scope and never expires.
const FULL: u8 = 1;
const SLEEP_ALONE: u8 = 2;
const REVOKED: u8 = 3;
/// Expires at the current time of the tests.
const ENDED: u8 = 4;

fn secret(kind: SecretKind, byte: u8) -> String {
    Secret::from_bytes(kind, &SecretBytes::new([byte; 32])).expose().to_owned()
}

fn token(byte: u8) -> String {
    secret(SecretKind::PersonalAccessToken, byte)
}

fn standing(byte: u8) -> PersonalAccess {
    PersonalAccess {
        token_id: PersonalTokenId::from_uuid(Uuid::from_u128(byte.into())),
        user_id: UserId::parse(USER).unwrap(),
        scopes: if byte == SLEEP_ALONE { ScopeSet::parse("sleep").unwrap() } else { ScopeSet::CONSENTABLE },
        is_live: byte != REVOKED,
        ended_at: None,
        expires_at: Some(if byte == ENDED { NOW } else { NOW + TimeDelta::days(1) }),
        home_timezone: super::world::zone(),
    }
}

/// Returns a server with these tokens and those of the other tests.
fn world() -> World {
    let access = port::personal_access(|hash| {
        let known = [FULL, SLEEP_ALONE, REVOKED, ENDED].into_iter().find(|byte| {
            let secret = Secret::parse(SecretKind::PersonalAccessToken, &token(*byte)).unwrap();
            secret.hash() == *hash
        });
        Ok(known.map(standing))
    });
    World::new(Parts { access, ..parts() })
}

#[actix_web::test]
async fn a_personal_token_reads_every_endpoint_of_its_person_and_counts_for_itself() {
    let world = world();
    for endpoint in ENDPOINTS {
        let [path, alias] = paths(endpoint, USER);
        let first = world.get_with(&path, &token(FULL)).await;
        let second = world.get_with(&alias, &token(FULL)).await;
        assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
        let [limit, left, _] = rate_headers(&second);
        assert_eq!(limit - left, 2);
    }
    let [limit, left, _] = rate_headers(&world.get_with(&paths("sleep", USER)[0], &token(SLEEP_ALONE)).await);
    assert_eq!(limit - left, 1, "another token has a counter of its own");
}

#[actix_web::test]
async fn a_personal_token_is_limited_to_its_person_and_scopes() {
    let world = world();
    let answer = world.get_with(&paths("sleep", OTHER)[0], &token(FULL)).await;
    assert_problem(&answer, 403, "other_user");
    let answer = world.get_with(&paths("profile", USER)[0], &token(SLEEP_ALONE)).await;
    assert_problem(&answer, 403, "insufficient_scope");
    let answer = world.get_with(&paths("profile", "not-a-uuid")[0], &token(FULL)).await;
    assert_problem(&answer, 400, "invalid_user_id");
}

#[actix_web::test]
async fn an_unknown_mistyped_revoked_or_expired_personal_token_is_invalid() {
    let world = world();
    let mistyped = token(FULL).replace('0', "1");
    assert_ne!(mistyped, token(FULL));
    for token in [token(9), mistyped, "rwp_".to_owned(), token(REVOKED), token(ENDED)] {
        let answer = world.get_with(&paths("sleep", USER)[0], &token).await;
        assert_problem(&answer, 401, "invalid_token");
        let challenge = answer.header("www-authenticate").unwrap();
        assert_eq!(challenge, "Bearer realm=\"restwell\", error=\"invalid_token\"");
        assert_uncounted(&answer);
    }
}
