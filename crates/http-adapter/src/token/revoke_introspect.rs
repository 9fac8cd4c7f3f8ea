//! Token revocation (RFC 7009) and introspection (RFC 7662).

use super::authenticate::{authenticate, authenticate_confidential};
use super::form::GivenTokenForm;
use super::introspection::IntrospectionBody;
use super::request::read_submitted_token;
use super::{IntrospectionErrors, RevocationErrors};
use crate::ApiState;
use crate::example;
use crate::problem::Problem;
use crate::route::Endpoint;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::token::QuerySecrets;

/// Revokes a token (RFC 7009)
///
/// Revoking a refresh token or an access token of the client revokes its grant and everything issued from it,
/// everywhere within 2 seconds. A token that is unknown, expired or belongs to another client has no effect
/// and gets the same response.
///
/// Parameters are in a form, or in a flat JSON object, each at most once, never in the query string. The
/// client's id and secret may be sent as HTTP Basic instead; a public app sends its `client_id` alone.
/// Unknown parameters are ignored.
#[utoipa::path(
    post, path = Endpoint::Revoke.path(), tag = "tokens", operation_id = "revokeToken",
    security(("basic" = []), ()),
    request_body(
        description = "The token, and the client's credentials.",
        content = GivenTokenForm,
        content_type = "application/x-www-form-urlencoded",
    ),
    responses((status = 200, description = "The token is not valid, whether or not it was before"), RevocationErrors),
)]
pub(super) async fn revoke(
    state: Data<ApiState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let about = read_submitted_token(&request, body).await?;
    let client =
        authenticate(&state, &request, &about.credentials, about.address, QuerySecrets::None).await?;
    state.tokens.revoke(&client, &about.token).await?;
    Ok(HttpResponse::Ok().finish())
}

/// Returns whether a token is valid (RFC 7662)
///
/// A client may ask about its own tokens, a service client with the scope `tokens:introspect` about all
/// access tokens. Any other token is inactive for it. A refresh token is active only for the client that owns
/// it, and only with `token_type_hint=refresh_token`. Public apps are rejected.
///
/// Parameters are in a form, or in a flat JSON object, each at most once, never in the query string. The
/// client's id and secret may be sent as HTTP Basic instead. Unknown parameters are ignored.
#[utoipa::path(
    post, path = Endpoint::Introspect.path(), tag = "tokens", operation_id = "introspectToken",
    security(("basic" = []), ()),
    request_body(
        description = "The token, and the client's credentials.",
        content = GivenTokenForm,
        content_type = "application/x-www-form-urlencoded",
    ),
    responses((status = 200, description = "State of the token", body = IntrospectionBody, example = example::introspection), IntrospectionErrors),
)]
pub(super) async fn introspect(
    state: Data<ApiState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let about = read_submitted_token(&request, body).await?;
    let client = authenticate_confidential(&state, &request, &about.credentials, about.address).await?;
    let token = state.tokens.introspect(&client, &about.token, about.hints_at_refresh_token).await?;
    Ok(HttpResponse::Ok().json(IntrospectionBody::new(token, &state.http.settings.public_url)))
}
