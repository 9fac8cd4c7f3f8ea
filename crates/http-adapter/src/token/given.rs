//! `/oauth/revoke` (RFC 7009) and `/oauth/introspect` (RFC 7662): a client gives a token back, or asks about one.

use super::authenticate::authenticate;
use super::introspection::IntrospectionBody;
use super::request::{AboutToken, read_about_token};
use crate::HttpState;
use crate::problem::Problem;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::token::{IntrospectTokenQuery, QuerySecrets, RevokeTokenCommand};
use domain::client::Client;

/// Takes a token back. The answer has no body: whether there was anything to take back is not told.
pub(super) async fn revoke(
    state: Data<HttpState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let about = read_about_token(&request, body).await?;
    let client = identify(&state, &about).await?;
    state.revoke_token.run(RevokeTokenCommand { client: &client, token: &about.token }).await?;
    Ok(HttpResponse::Ok().finish())
}

/// Returns whether a token counts.
pub(super) async fn introspect(
    state: Data<HttpState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let about = read_about_token(&request, body).await?;
    let client = identify(&state, &about).await?;
    let query = IntrospectTokenQuery {
        client: &client,
        token: &about.token,
        hints_at_refresh_token: about.hints_at_refresh_token,
    };
    let told = state.introspect_token.run(query).await?;
    Ok(HttpResponse::Ok().json(IntrospectionBody::of(told, &state.settings.public_url)))
}

/// Authenticates the client that sends the request.
async fn identify(state: &HttpState, about: &AboutToken) -> Result<Client, Problem> {
    authenticate(state, &about.credentials, about.address, QuerySecrets::None).await
}
