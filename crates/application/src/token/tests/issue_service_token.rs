use super::mint;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{FailingSigner, RecordingSigner, app, noon, scopes, service};
use crate::token::{IssueServiceToken, IssueServiceTokenCommand, IssueServiceTokenError, ServiceToken};
use chrono::SubsecRound;
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::resource::Resource;
use std::sync::Arc;

/// A store that expects one event.
fn one_event() -> Arc<PreparedUnitsOfWork> {
    Arc::new(PreparedUnitsOfWork::new([MockUnitOfWork::default()]))
}

async fn issue(client: &Client, scope: Option<&str>) -> Result<ServiceToken, IssueServiceTokenError> {
    IssueServiceToken::new(one_event(), mint(Arc::new(RecordingSigner::default())))
        .run(IssueServiceTokenCommand { client, scope, resource: None })
        .await
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
    let issued = IssueServiceToken::new(one_event(), mint(signer.clone()))
        .run(IssueServiceTokenCommand { client: &service(), scope: None, resource: None })
        .await
        .unwrap();
    let claims = signer.signed()[0];
    assert_eq!(issued.access_token, format!("signed {}", claims.id));
    assert_eq!((claims.subject, claims.client_id), (TokenSubject::Service, service().id));
    assert_eq!(claims.issued_at, noon().trunc_subsecs(0));
    assert_eq!((claims.expires_at - claims.issued_at).num_seconds(), 3600);
}

#[tokio::test]
async fn scopes_that_are_unknown_or_not_allowed_are_refused() {
    for scope in ["users:write", "sleep:write users:write", "sleep", "nonsense", "", " "] {
        let refused = issue(&service(), Some(scope)).await;
        assert!(matches!(refused, Err(IssueServiceTokenError::InvalidScope)), "{scope:?}");
    }
}

#[tokio::test]
async fn an_app_gets_no_service_token() {
    assert!(matches!(issue(&app(), None).await, Err(IssueServiceTokenError::UnauthorizedClient)));
}

#[tokio::test]
async fn a_signing_failure_passes_through() {
    let units = one_event();
    let broken = IssueServiceToken::new(units.clone(), mint(Arc::new(FailingSigner)));
    let outcome =
        broken.run(IssueServiceTokenCommand { client: &service(), scope: None, resource: None }).await;
    assert!(matches!(outcome, Err(IssueServiceTokenError::Signing(_))));
    assert_events(&units.events(), &[]);
}

#[tokio::test]
async fn a_token_is_in_the_audit_trail_before_it_is_returned() {
    let units = one_event();
    let issue = IssueServiceToken::new(units.clone(), mint(Arc::new(RecordingSigner::default())));
    issue.run(IssueServiceTokenCommand { client: &service(), scope: None, resource: None }).await.unwrap();
    assert_eq!(units.endings().committed(), 1);
    let expected_event = event(AuditActor::Client, AuditKind::ServiceTokenIssued).client(service().id);
    assert_events(&units.events(), &[expected_event]);
}

#[tokio::test]
async fn a_token_missing_from_the_audit_trail_is_not_returned() {
    let none = Arc::new(PreparedUnitsOfWork::new([]));
    let issue = IssueServiceToken::new(none, mint(Arc::new(RecordingSigner::default())));
    let outcome =
        issue.run(IssueServiceTokenCommand { client: &service(), scope: None, resource: None }).await;
    assert!(matches!(outcome, Err(IssueServiceTokenError::Storage(StorageError::Unavailable))));
}

#[tokio::test]
async fn a_service_token_is_for_the_api_alone() {
    let signer = Arc::new(RecordingSigner::default());
    let units = PreparedUnitsOfWork::new([]);
    let issue = IssueServiceToken::new(Arc::new(units), mint(signer));
    let command = IssueServiceTokenCommand { client: &service(), scope: None, resource: Some(Resource::Mcp) };
    assert!(matches!(issue.run(command).await, Err(IssueServiceTokenError::InvalidTarget)));
}
