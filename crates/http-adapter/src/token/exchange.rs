//! Authenticates the client, exchanges what it presents for tokens, and writes the response.

use super::authenticate::authenticate;
use super::request::{PresentedGrant, TokenRequest};
use super::response::{RefreshBody, ServiceTokenBody, TokenBody};
use crate::ApiState;
use crate::client_request::note_token_rejection;
use crate::problem::{Fault, Problem};
use actix_web::{HttpRequest, HttpResponse};
use application::token::{PresentedCode, PresentedRefreshToken, TokenError};
use domain::resource::Resource;

pub(super) async fn run(
    state: &ApiState,
    request: &HttpRequest,
    asked: &TokenRequest,
) -> Result<HttpResponse, Problem> {
    let client = authenticate(state, request, &asked.credentials, asked.address, asked.in_query).await?;
    let resource = resource(state, asked)?;
    let rejected = |error: TokenError| {
        if let TokenError::InvalidGrant(reason) = &error {
            note_token_rejection(request, reason.clone());
        }
        Problem::from(error)
    };
    match &asked.presented {
        PresentedGrant::Code { code, redirect_uri, code_verifier } => {
            let code_verifier = code_verifier.as_deref();
            let address = asked.from.address;
            let presented = PresentedCode { code, redirect_uri, code_verifier, resource, address };
            let issued = state.tokens.redeem(&client, presented).await.map_err(rejected)?;
            Ok(HttpResponse::Ok().json(TokenBody::from(issued)))
        }
        PresentedGrant::RefreshToken { refresh_token, user_id, scope, echo } => {
            let (user_id, scope, from) = (user_id.as_deref(), scope.as_deref(), &asked.from);
            let presented = PresentedRefreshToken { refresh_token, user_id, scope, resource, from };
            let refreshed = state.tokens.refresh(&client, presented).await.map_err(rejected)?;
            let echo = echo.then(|| refresh_token.clone());
            Ok(HttpResponse::Ok().json(RefreshBody::new(refreshed, echo)))
        }
        PresentedGrant::Nothing { scope } => {
            let issued = state.tokens.issue_to_service(&client, scope.as_deref(), resource).await;
            Ok(HttpResponse::Ok().json(ServiceTokenBody::from(issued.map_err(rejected)?)))
        }
    }
}

/// Parses the requested resource. Checked after the client, like everything that it asks for.
fn resource(state: &ApiState, asked: &TokenRequest) -> Result<Option<Resource>, Problem> {
    let public_url = &state.http.settings.public_url;
    let parsed = asked.resource.as_deref().map(|text| Resource::from_uri(text, public_url)).transpose();
    parsed.map_err(|_| Problem::new(Fault::InvalidTarget))
}
