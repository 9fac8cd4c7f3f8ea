//! Registers every route, inside the middleware that all of them share.

use crate::problem::{Fault, Problem};
use crate::route::Endpoint;
use crate::state::HttpState;
use crate::{data, export, health, ingest, key_set, metadata, middleware, openapi, page, token};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use std::sync::Arc;

/// Returns what registers the whole HTTP side: `App::new().configure(configure(state))`.
///
/// Everything lives in one scope, so that the middleware also sees what no route answers; only an address that
/// does not begin with a slash (`OPTIONS *`) is outside of it and has the same middleware of its own. Routes are
/// resources: a wrong method is a 405 with `Allow`, never a 404.
pub fn configure(state: Arc<HttpState>) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        #[expect(clippy::disallowed_methods, reason = "the one scope, around everything; it adds no prefix")]
        let routes = web::scope("")
            .configure(token::configure)
            .configure(data::configure)
            .configure(ingest::configure)
            .configure(export::configure)
            .configure(openapi::configure)
            .configure(page::configure)
            .service(Endpoint::Metadata.resource().route(web::get().to(metadata::show)))
            .service(Endpoint::KeySet.resource().route(web::get().to(key_set::show)))
            .service(
                Endpoint::Live
                    .resource()
                    .route(web::get().to(health::live))
                    .route(web::head().to(health::live)),
            )
            .service(
                Endpoint::Ready
                    .resource()
                    .route(web::get().to(health::ready))
                    .route(web::head().to(health::ready)),
            )
            .default_service(web::to(nothing_here));
        app.app_data(web::Data::from(state))
            .service(middleware::wrap(routes))
            .default_service(middleware::wrap_route(web::to(nothing_here)));
    }
}

async fn nothing_here(request: HttpRequest) -> Result<HttpResponse, Problem> {
    page::lead_home(&request).ok_or_else(|| Problem::new(Fault::NotFound))
}
