//! Authenticates the client, runs the use case of the grant, and writes the response.

use super::authenticate::authenticate;
use super::request::{PresentedGrant, TokenRequest};
use super::response::{RefreshBody, ServiceTokenBody, TokenBody};
use crate::ApiState;
use crate::client_request::note_token_rejection;
use crate::problem::{Fault, Problem};
use actix_web::{HttpRequest, HttpResponse};
use application::token::{
    IssueServiceTokenCommand, RedeemCodeCommand, RedeemCodeError, RefreshAccessCommand, RefreshAccessError,
};
use domain::resource::Resource;

pub(super) async fn run(
    state: &ApiState,
    request: &HttpRequest,
    asked: &TokenRequest,
) -> Result<HttpResponse, Problem> {
    let client = authenticate(state, request, &asked.credentials, asked.address, asked.in_query).await?;
    let resource = resource(state, asked)?;
    match &asked.presented {
        PresentedGrant::Code { code, redirect_uri, code_verifier } => {
            let code_verifier = code_verifier.as_deref();
            let address = asked.from.address;
            let client = &client;
            let command = RedeemCodeCommand { client, code, redirect_uri, code_verifier, resource, address };
            let issued = state.redeem_code.run(command).await.inspect_err(|error| {
                if let RedeemCodeError::InvalidGrant(reason) = error {
                    note_token_rejection(request, reason.clone());
                }
            })?;
            Ok(HttpResponse::Ok().json(TokenBody::from(issued)))
        }
        PresentedGrant::RefreshToken { refresh_token, user_id, scope, echo } => {
            let (user_id, scope) = (user_id.as_deref(), scope.as_deref());
            let (client, from) = (&client, &asked.from);
            let command = RefreshAccessCommand { client, refresh_token, user_id, scope, resource, from };
            let refreshed = state.refresh_access.run(command).await.inspect_err(|error| {
                if let RefreshAccessError::InvalidGrant(reason) = error {
                    note_token_rejection(request, *reason);
                }
            })?;
            let echo = echo.then(|| refresh_token.clone());
            Ok(HttpResponse::Ok().json(RefreshBody::new(refreshed, echo)))
        }
        PresentedGrant::Nothing { scope } => {
            let command = IssueServiceTokenCommand { client: &client, scope: scope.as_deref(), resource };
            let issued = state.issue_service_token.run(command).await?;
            Ok(HttpResponse::Ok().json(ServiceTokenBody::from(issued)))
        }
    }
}

/// Parses the requested resource. Checked after the client, like everything that it asks for.
fn resource(state: &ApiState, asked: &TokenRequest) -> Result<Option<Resource>, Problem> {
    let public_url = &state.http.settings.public_url;
    let parsed = asked.resource.as_deref().map(|text| Resource::from_uri(text, public_url)).transpose();
    parsed.map_err(|_| Problem::new(Fault::InvalidTarget))
}
