use super::mint;
use crate::testing::{BrokenSigner, RecordingSigner, app, noon, scopes, service};
use crate::token::{IssueServiceToken, IssueServiceTokenCommand, IssueServiceTokenError, ServiceToken};
use chrono::SubsecRound;
use domain::access_token::TokenSubject;
use domain::client::Client;
use std::sync::Arc;

fn issue(client: &Client, scope: Option<&str>) -> Result<ServiceToken, IssueServiceTokenError> {
    IssueServiceToken::new(mint(Arc::new(RecordingSigner::default())))
        .run(IssueServiceTokenCommand { client, scope })
}

#[test]
fn a_service_client_gets_all_its_scopes_when_it_asks_for_none() {
    assert_eq!(issue(&service(), None).unwrap().scopes, scopes("sleep:write supplements:write"));
}

#[test]
fn a_service_client_may_ask_for_less() {
    assert_eq!(issue(&service(), Some("sleep:write")).unwrap().scopes, scopes("sleep:write"));
}

#[test]
fn the_token_acts_for_the_client_itself_and_lives_an_hour() {
    let signer = Arc::new(RecordingSigner::default());
    let issued = IssueServiceToken::new(mint(signer.clone()))
        .run(IssueServiceTokenCommand { client: &service(), scope: None })
        .unwrap();
    let claims = signer.signed()[0];
    assert_eq!(issued.access_token, format!("signed {}", claims.id));
    assert_eq!((claims.subject, claims.client_id), (TokenSubject::Service, service().id));
    assert_eq!(claims.issued_at, noon().trunc_subsecs(0));
    assert_eq!((claims.expires_at - claims.issued_at).num_seconds(), 3600);
}

#[test]
fn scopes_that_are_unknown_or_not_allowed_are_refused() {
    for scope in ["users:write", "sleep:write users:write", "sleep", "nonsense", "", " "] {
        let refused = issue(&service(), Some(scope));
        assert!(matches!(refused, Err(IssueServiceTokenError::InvalidScope)), "{scope:?}");
    }
}

#[test]
fn an_app_gets_no_token_of_its_own() {
    assert!(matches!(issue(&app(), None), Err(IssueServiceTokenError::UnauthorizedClient)));
}

#[test]
fn a_signing_failure_passes_through() {
    let broken = IssueServiceToken::new(mint(Arc::new(BrokenSigner)));
    let outcome = broken.run(IssueServiceTokenCommand { client: &service(), scope: None });
    assert!(matches!(outcome, Err(IssueServiceTokenError::Signing(_))));
}
