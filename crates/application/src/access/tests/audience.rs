//! The resource at which a token is accepted (RFC 8707, RFC 9068 section 4).

use super::*;
use crate::access::Permission;
use crate::ports::storage::PersonalAccess;
use crate::testing::{checking_with, scopes, secret};
use domain::id::PersonalTokenId;
use domain::secret::SecretKind;
use domain::time::TimeZone;
use uuid::Uuid;

async fn verify(
    token: &str,
    claims: AccessClaims,
    resource: Resource,
) -> Result<Option<Permission>, AuthorizeAccessError> {
    let mut access = MockAccessReader::new();
    access.expect_find_access().returning(|_, _| Ok(Some(access_state())));
    access.expect_find_personal_access().returning(|_| {
        Ok(Some(PersonalAccess {
            token_id: PersonalTokenId::from_uuid(Uuid::from_u128(5)),
            user_id: user_id(1),
            scopes: scopes("sleep"),
            is_live: true,
            ended_at: None,
            expires_at: None,
            home_timezone: TimeZone::UTC,
        }))
    });
    let ports = AccessPorts {
        tokens: checking_with(verifier(.., move |_| Ok(claims))),
        access: Arc::new(access),
        clients: Arc::new(finding(Ok(Some(app())))),
        // Expects no call, because identifying the caller counts nothing.
        limiter: Arc::new(MockRateLimiter::new()),
        clock: clock(),
    };
    let caller = AuthorizeAccess::new(ports, limits()).identify(token, resource).await?;
    Ok(caller.permission().copied())
}

/// MCP 2026-07-28, Authorization, Token Handling.
#[tokio::test]
async fn an_oauth_token_is_accepted_only_at_its_audience() {
    for audience in Resource::ALL {
        for resource in Resource::ALL {
            let claims = AccessClaims { audience, scopes: scopes("sleep"), ..access_claims() };
            let verified = verify("the token", claims, resource).await;
            if audience == resource {
                let verified = verified.unwrap().unwrap();
                assert_eq!((verified.owner, verified.usable), (user_id(1), scopes("sleep")));
                assert_eq!(
                    (verified.reader, verified.granted),
                    (Reader::Client(client_id(1)), scopes("profile sleep"))
                );
            } else {
                assert!(
                    matches!(verified, Err(AuthorizeAccessError::InvalidToken)),
                    "{audience:?} at {resource:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_personal_token_is_accepted_at_every_resource() {
    let token = secret(SecretKind::PersonalAccessToken, 8);
    for resource in Resource::ALL {
        let verified = verify(token.expose(), access_claims(), resource).await.unwrap().unwrap();
        assert_eq!((verified.owner, verified.usable), (user_id(1), scopes("sleep")));
    }
}

#[tokio::test]
async fn a_service_token_belongs_to_no_person_at_any_resource() {
    for audience in Resource::ALL {
        let claims = AccessClaims { audience, ..service_claims() };
        let verified = verify("the token", claims, audience).await;
        assert!(matches!(verified, Ok(None)), "{verified:?}");
    }
}
