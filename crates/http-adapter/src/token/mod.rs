//! The token endpoints: `/api/token` and `/api/refresh` (contract; decisions 2), and `/oauth/revoke` and
//! `/oauth/introspect`, which require a token in the body of a `POST`.
//!
//! The first two accept `GET` and `POST`, with parameters in the query string, the body or both. Checks have
//! a fixed order: method, size and framing; duplicates and encoding; missing parameters; client
//! authentication; then the use case looks up the grant. An unauthenticated caller therefore learns nothing
//! about grants.

mod authenticate;
mod credentials;
mod exchange;
mod form;
mod introspection;
mod json;
mod parameters;
mod request;
mod response;
mod revoke_introspect;
#[cfg(any(test, feature = "test-support"))]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

pub use form::{GivenTokenForm, GrantType, RefreshForm, RefreshGrantType, TokenForm};
pub use introspection::IntrospectionBody;
pub use response::{RefreshBody, ServiceTokenBody, TokenBody};

use self::authenticate::note_named_client;
use crate::ApiState;
use crate::client_request::note_token_rejection;
use crate::example;
use crate::meter;
use crate::problem::{Problem, error_responses};
use crate::route::Endpoint as Route;
use actix_web::web::{Data, Payload, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use request::Endpoint;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{Ref, RefOr, Required, Schema};
use utoipa::{Modify, OpenApi, ToSchema};

/// `OpenAPI` operations of this module.
#[derive(OpenApi)]
#[openapi(
    paths(get_token, post_token, get_refresh, post_refresh, revoke_introspect::revoke, revoke_introspect::introspect),
    modifiers(&TokenErrors, &RevocationErrors, &IntrospectionErrors, &OptionalBodies)
)]
pub(crate) struct TokenApi;

error_responses! {
    /// Errors of the endpoints that issue tokens.
    TokenErrors = OAuth "Token": [
        InvalidRequest SecretInQuery InvalidGrant UnauthorizedClient UnsupportedGrantType InvalidScope
        InvalidTarget InvalidClient RequestTimeout PayloadTooLarge UnsupportedMediaType TooManyFailures
        StorageUnavailable Overloaded TooManyAtOnce
    ];
    /// Errors of revocation.
    RevocationErrors = OAuth "Revocation": [
        InvalidRequest UnsupportedTokenType InvalidClient RequestTimeout PayloadTooLarge
        UnsupportedMediaType TooManyFailures StorageUnavailable Overloaded TooManyAtOnce
    ];
    /// Errors of introspection.
    IntrospectionErrors = OAuth "Introspection": [
        InvalidRequest InvalidClient RequestTimeout PayloadTooLarge UnsupportedMediaType TooManyFailures
        StorageUnavailable Overloaded TooManyAtOnce
    ];
}

/// Makes the bodies optional whose parameters may all be in the query string.
struct OptionalBodies;

impl Modify for OptionalBodies {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for route in [Route::Token, Route::Refresh] {
            let operation = document.paths.paths.get_mut(route.path()).and_then(|item| item.post.as_mut());
            let body = operation.and_then(|operation| operation.request_body.as_mut());
            if let Some(RefOr::T(body)) = body {
                body.required = Some(Required::False);
            }
        }
    }
}

/// Schema of the response of `/api/token`, which depends on the grant type.
enum AnyTokenBody {}

impl ToSchema for AnyTokenBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend([
            (TokenBody::name().into_owned(), <TokenBody as utoipa::PartialSchema>::schema()),
            (ServiceTokenBody::name().into_owned(), <ServiceTokenBody as utoipa::PartialSchema>::schema()),
        ]);
    }
}

impl utoipa::PartialSchema for AnyTokenBody {
    fn schema() -> RefOr<Schema> {
        [TokenBody::name(), RefreshBody::name(), ServiceTokenBody::name()]
            .map(Ref::from_schema_name)
            .into_iter()
            .fold(AnyOfBuilder::new(), AnyOfBuilder::item)
            .description(Some("For an authorization code, a refresh token, or a service client."))
            .into()
    }
}

/// Registers the token endpoints.
pub fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Route::Token.resource().route(get().to(get_token)).route(post().to(post_token)))
        .service(Route::Refresh.resource().route(get().to(get_refresh)).route(post().to(post_refresh)))
        .service(Route::Revoke.resource().route(post().to(revoke_introspect::revoke)))
        .service(Route::Introspect.resource().route(post().to(revoke_introspect::introspect)));
}

/// Exchanges an authorization code for tokens
///
/// Parameters may be in the query string, in a form or JSON body (on GET too), or in both, each at most once.
/// The client's id and secret may be sent as HTTP Basic instead; a public app sends its `client_id` alone.
/// Unknown parameters are ignored. The access token is valid for 3600 seconds.
#[utoipa::path(
    get, path = Route::Token.path(), tag = "tokens", operation_id = "getToken", params(TokenForm),
    security(("basic" = []), ()),
    responses((status = 200, description = "Tokens", body = inline(AnyTokenBody), example = example::token), TokenErrors),
)]
async fn get_token(
    state: Data<ApiState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    answer(Endpoint::Token, &state, &request, body).await
}

/// Exchanges an authorization code for tokens
///
/// Parameters may be in the query string, in a form or JSON body (on GET too), or in both, each at most once.
/// The client's id and secret may be sent as HTTP Basic instead; a public app sends its `client_id` alone.
/// Unknown parameters are ignored. The access token is valid for 3600 seconds.
#[utoipa::path(
    post, path = Route::Token.path(), tag = "tokens", operation_id = "postToken",
    request_body(
        description = "The parameters that are not in the query string.",
        content(
            (TokenForm = "application/x-www-form-urlencoded"),
            (TokenForm = "application/json"),
        ),
    ),
    security(("basic" = []), ()),
    responses((status = 200, description = "Tokens", body = inline(AnyTokenBody), example = example::token), TokenErrors),
)]
async fn post_token(
    state: Data<ApiState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    answer(Endpoint::Token, &state, &request, body).await
}

/// Exchanges a refresh token for a new access token
///
/// Parameters may be in the query string, in a form or JSON body (on GET too), or in both, each at most once.
/// The client's id and secret may be sent as HTTP Basic instead; a public app sends its `client_id` alone.
/// Unknown parameters are ignored. The access token is valid for 3600 seconds.
#[utoipa::path(
    get, path = Route::Refresh.path(), tag = "tokens", operation_id = "getRefresh", params(RefreshForm),
    security(("basic" = []), ()),
    responses((status = 200, description = "Tokens", body = RefreshBody, example = example::refresh), TokenErrors),
)]
async fn get_refresh(
    state: Data<ApiState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    answer(Endpoint::Refresh, &state, &request, body).await
}

/// Exchanges a refresh token for a new access token
///
/// Parameters may be in the query string, in a form or JSON body (on GET too), or in both, each at most once.
/// The client's id and secret may be sent as HTTP Basic instead; a public app sends its `client_id` alone.
/// Unknown parameters are ignored. The access token is valid for 3600 seconds.
#[utoipa::path(
    post, path = Route::Refresh.path(), tag = "tokens", operation_id = "postRefresh",
    request_body(
        description = "The parameters that are not in the query string.",
        content(
            (RefreshForm = "application/x-www-form-urlencoded"),
            (RefreshForm = "application/json"),
        ),
    ),
    security(("basic" = []), ()),
    responses((status = 200, description = "Tokens", body = RefreshBody, example = example::refresh), TokenErrors),
)]
async fn post_refresh(
    state: Data<ApiState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    answer(Endpoint::Refresh, &state, &request, body).await
}

/// Parses a token request, answers it, and counts the outcome.
async fn answer(
    endpoint: Endpoint,
    state: &ApiState,
    request: &HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let unread = |problem: &Problem| meter::token_refused("unread", problem);
    let mut given = request::parameters(request, body).await.inspect_err(unread)?;
    let asked = match request::read(endpoint, request, &mut given).inspect_err(unread) {
        Ok(asked) => asked,
        Err(problem) => {
            note_named_client(state, request, &given, &problem).await;
            return Err(problem);
        }
    };
    let outcome = exchange::run(state, request, &asked).await;
    let grant_type = asked.presented.grant_type();
    match &outcome {
        Ok(_) => meter::token_issued(grant_type),
        Err(problem) => {
            note_token_rejection(request, problem.detail_text().into_owned());
            meter::token_refused(grant_type, problem);
        }
    }
    outcome
}
