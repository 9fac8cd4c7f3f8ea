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
    let (client, token) = identify(&state, &request, body).await?;
    state.revoke_token.run(RevokeTokenCommand { client: &client, token: &token }).await?;
    Ok(HttpResponse::Ok().finish())
}

/// Tells whether a token counts.
pub(super) async fn introspect(
    state: Data<HttpState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (client, token) = identify(&state, &request, body).await?;
    let told = state.introspect_token.run(IntrospectTokenQuery { client: &client, token: &token }).await?;
    Ok(HttpResponse::Ok().json(IntrospectionBody::of(told, &state.settings.public_url)))
}

/// Reads the request and authenticates who sends it.
async fn identify(
    state: &HttpState,
    request: &HttpRequest,
    body: Payload,
) -> Result<(Client, String), Problem> {
    let AboutToken { token, credentials, address } = read_about_token(request, body).await?;
    let client = authenticate(state, &credentials, address, QuerySecrets::None).await?;
    Ok((client, token))
}
