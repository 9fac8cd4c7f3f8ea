//! The token endpoints: `/api/token` and `/api/refresh` (contract; decisions 2), and those that are given a token,
//! `/oauth/revoke` and `/oauth/introspect`, which take `POST` and the parameters of the body alone.
//!
//! The first two take `GET` and `POST`, and the parameters from the query string, the body or both. The checks come in
//! one order: method, size and framing; duplicates and encoding; missing parameters; client authentication;
//! then the use case looks the grant up. So a caller never learns of a grant before it is known who asks.

mod authenticate;
mod credentials;
mod exchange;
mod given;
mod introspection;
mod json;
mod parameters;
mod request;
mod response;
#[cfg(any(test, feature = "test-support"))]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

pub use introspection::IntrospectionBody;
pub use response::{RefreshBody, ServiceTokenBody, TokenBody};

use crate::HttpState;
use crate::meter;
use crate::problem::Problem;
use crate::route::Endpoint as Route;
use actix_web::web::{Data, Payload, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use request::Endpoint;

/// Registers the token endpoints.
pub fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Route::Token.resource().route(get().to(token)).route(post().to(token)))
        .service(Route::Refresh.resource().route(get().to(refresh)).route(post().to(refresh)))
        .service(Route::Revoke.resource().route(post().to(given::revoke)))
        .service(Route::Introspect.resource().route(post().to(given::introspect)));
}

async fn token(state: Data<HttpState>, request: HttpRequest, body: Payload) -> Result<HttpResponse, Problem> {
    answer(Endpoint::Token, &state, &request, body).await
}

async fn refresh(
    state: Data<HttpState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    answer(Endpoint::Refresh, &state, &request, body).await
}

/// Reads a request for tokens, answers it, and counts what came of it.
async fn answer(
    endpoint: Endpoint,
    state: &HttpState,
    request: &HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let read = request::read(endpoint, request, body).await;
    let asked = read.inspect_err(|problem| meter::token_refused("unread", problem))?;
    let outcome = exchange::run(state, &asked).await;
    let grant_type = asked.presented.grant_type();
    match &outcome {
        Ok(_) => meter::token_issued(grant_type),
        Err(problem) => meter::token_refused(grant_type, problem),
    }
    outcome
}
