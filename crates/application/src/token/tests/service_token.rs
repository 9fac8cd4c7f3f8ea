use super::tokens;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{FailingSigner, RecordingSigner, app, noon, scopes, service, units};
use crate::token::{ServiceToken, TokenError, Tokens};
use chrono::SubsecRound;
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::resource::Resource;
use std::sync::Arc;

async fn issue(client: &Client, scope: Option<&str>) -> Result<ServiceToken, TokenError> {
    tokens(&units([MockUnitOfWork::default()])).issue_to_service(client, scope, None).await
}

#[tokio::test]
async fn a_service_client_that_requests_no_scopes_gets_all_of_them() {
    assert_eq!(issue(&service(), None).await.unwrap().scopes, scopes("sleep:write supplements:write"));
}

#[tokio::test]
async fn a_service_client_may_ask_for_less() {
    assert_eq!(issue(&service(), Some("sleep:write")).await.unwrap().scopes, scopes("sleep:write"));
}

#[tokio::test]
async fn the_token_acts_for_the_client_itself_and_expires_after_an_hour() {
    let signer = Arc::new(RecordingSigner::default());
    let units = units([MockUnitOfWork::default()]);
    let tokens = Tokens { signer: signer.clone(), ..tokens(&units) };
    let issued = tokens.issue_to_service(&service(), None, None).await.unwrap();
    let claims = signer.signed()[0];
    assert_eq!(issued.access_token, format!("signed {}", claims.id));
    assert_eq!((claims.subject, claims.client_id), (TokenSubject::Service, service().id));
    assert_eq!(claims.issued_at, noon().trunc_subsecs(0));
    assert_eq!((claims.expires_at - claims.issued_at).num_seconds(), 3600);
}

#[tokio::test]
async fn scopes_that_are_unknown_or_not_allowed_are_rejected() {
    for scope in ["users:write", "sleep:write users:write", "sleep", "nonsense", "", " "] {
        let rejected = issue(&service(), Some(scope)).await;
        assert!(matches!(rejected, Err(TokenError::InvalidScope)), "{scope:?}");
    }
}

#[tokio::test]
async fn an_app_gets_no_service_token() {
    assert!(matches!(issue(&app(), None).await, Err(TokenError::UnauthorizedClient)));
}

#[tokio::test]
async fn a_signing_failure_passes_through() {
    let units = units([MockUnitOfWork::default()]);
    let tokens = Tokens { signer: Arc::new(FailingSigner), ..tokens(&units) };
    let outcome = tokens.issue_to_service(&service(), None, None).await;
    assert!(matches!(outcome, Err(TokenError::Signing(_))));
    assert_events(&units.events(), &[]);
}

#[tokio::test]
async fn a_token_is_in_the_audit_trail_before_it_is_returned() {
    let units = units([MockUnitOfWork::default()]);
    tokens(&units).issue_to_service(&service(), None, None).await.unwrap();
    assert_eq!(units.endings().committed(), 1);
    let expected_event = event(AuditActor::Client, AuditKind::ServiceTokenIssued).client(service().id);
    assert_events(&units.events(), &[expected_event]);
}

#[tokio::test]
async fn a_token_missing_from_the_audit_trail_is_not_returned() {
    let outcome = tokens(&units([])).issue_to_service(&service(), None, None).await;
    assert!(matches!(outcome, Err(TokenError::Storage(StorageError::Unavailable))));
}

#[tokio::test]
async fn a_service_token_is_for_the_api_alone() {
    let outcome = tokens(&units([])).issue_to_service(&service(), None, Some(Resource::Mcp)).await;
    assert!(matches!(outcome, Err(TokenError::InvalidTarget)));
}
