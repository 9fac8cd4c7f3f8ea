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
#[cfg(test)]
mod tests;

pub use introspection::IntrospectionBody;
pub use response::{RefreshBody, ServiceTokenBody, TokenBody};

use crate::HttpState;
use crate::problem::Problem;
use crate::route;
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use request::Endpoint;

/// Registers the token endpoints.
pub fn configure(routes: &mut ServiceConfig) {
    routes
        .service(web::resource(route::TOKEN).route(web::get().to(token)).route(web::post().to(token)))
        .service(web::resource(route::REFRESH).route(web::get().to(refresh)).route(web::post().to(refresh)))
        .service(web::resource(route::REVOKE).route(web::post().to(given::revoke)))
        .service(web::resource(route::INTROSPECT).route(web::post().to(given::introspect)));
}

async fn token(state: Data<HttpState>, request: HttpRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let asked = request::read(Endpoint::Token, &request, body).await?;
    exchange::run(&state, &asked).await
}

async fn refresh(
    state: Data<HttpState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let asked = request::read(Endpoint::Refresh, &request, body).await?;
    exchange::run(&state, &asked).await
}
