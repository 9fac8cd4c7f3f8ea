//! Authenticates the client, runs the use case of the grant, and writes the response.

use super::authenticate::authenticate;
use super::request::{Presented, TokenRequest};
use super::response::{RefreshBody, ServiceTokenBody, TokenBody};
use crate::ApiState;
use crate::problem::Problem;
use actix_web::HttpResponse;
use application::token::{IssueServiceTokenCommand, RedeemCodeCommand, RefreshAccessCommand};

pub(super) async fn run(state: &ApiState, asked: &TokenRequest) -> Result<HttpResponse, Problem> {
    let client = authenticate(state, &asked.credentials, asked.address, asked.in_query).await?;
    match &asked.presented {
        Presented::Code { code, redirect_uri, code_verifier } => {
            let code_verifier = code_verifier.as_deref();
            let address = asked.from.address;
            let command = RedeemCodeCommand { client: &client, code, redirect_uri, code_verifier, address };
            let issued = state.redeem_code.run(command).await?;
            Ok(HttpResponse::Ok().json(TokenBody::from(issued)))
        }
        Presented::RefreshToken { refresh_token, user_id, scope, echo } => {
            let (user_id, scope) = (user_id.as_deref(), scope.as_deref());
            let command =
                RefreshAccessCommand { client: &client, refresh_token, user_id, scope, from: &asked.from };
            let refreshed = state.refresh_access.run(command).await?;
            let echo = echo.then(|| refresh_token.clone());
            Ok(HttpResponse::Ok().json(RefreshBody::new(refreshed, echo)))
        }
        Presented::Nothing { scope } => {
            let command = IssueServiceTokenCommand { client: &client, scope: scope.as_deref() };
            let issued = state.issue_service_token.run(command).await?;
            Ok(HttpResponse::Ok().json(ServiceTokenBody::from(issued)))
        }
    }
}
