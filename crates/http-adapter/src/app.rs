//! Registration of the API.

use crate::problem::{Fault, Problem};
use crate::route::Endpoint;
use crate::state::{ApiState, HttpState};
use crate::{data, errors, export, health, ingest, key_set, metadata, middleware, openapi, resource, token};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use std::sync::Arc;

/// Returns the configuration of the API: `App::new().configure(configure(state))`. It also registers what the
/// middleware around any endpoint needs, and the response to unknown paths.
///
/// Endpoints are resources, so that a wrong method is a 405 with `Allow`. The data endpoints come first:
/// actix tries the patterns in order, and they are requested most.
pub fn configure(state: Arc<ApiState>) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(web::Data::from(Arc::clone(&state.http)))
            .app_data(web::Data::from(state))
            .configure(configure_data)
            .configure(token::configure)
            .configure(ingest::configure)
            .configure(export::configure)
            .configure(openapi::configure)
            .service(Endpoint::Errors.resource().route(web::get().to(errors::show)))
            .service(Endpoint::Metadata.resource().route(web::get().to(metadata::show)))
            .service(Endpoint::ApiResource.resource().route(web::get().to(resource::show_api)))
            .service(Endpoint::McpResource.resource().route(web::get().to(resource::show_mcp)))
            .service(Endpoint::KeySet.resource().route(web::get().to(key_set::show)))
            .service(Endpoint::Live.resource().route(web::get().to(health::live)))
            .service(Endpoint::Ready.resource().route(web::get().to(health::ready)))
            .default_service(middleware::wrap_unmatched(web::to(nothing_here)));
    }
}

/// Registers the data endpoints, with and without `v1`; both paths share one rate counter. No pagination link
/// leads to the change feed, so it has no unversioned path.
fn configure_data(routes: &mut ServiceConfig) {
    let profile = Endpoint::Profile.resource().route(web::get().to(data::profile::show));
    let sleep = Endpoint::Sleep.resource().route(web::get().to(data::sleep::show));
    routes
        .service(profile.route(web::put().to(ingest::put_profile)))
        .service(sleep.route(web::post().to(ingest::post_sleep)))
        .service(Endpoint::Supplements.resource().route(web::get().to(data::supplements::show)))
        .service(Endpoint::Changes.resource().route(web::get().to(data::changes::show)))
        .service(Endpoint::UnversionedProfile.resource().route(web::get().to(data::profile::show)))
        .service(Endpoint::UnversionedSleep.resource().route(web::get().to(data::sleep::show)))
        .service(Endpoint::UnversionedSupplements.resource().route(web::get().to(data::supplements::show)));
}

/// Paths at which other servers have their token endpoint.
const TOKEN_PATHS_ELSEWHERE: [&str; 3] = ["/token", "/oauth/token", "/oauth2/token"];

/// Returns whether an unknown path is asked for tokens, whose client expects an error of RFC 6749.
pub(crate) fn is_token_path_elsewhere(path: &str) -> bool {
    TOKEN_PATHS_ELSEWHERE.contains(&path)
}

async fn nothing_here(request: HttpRequest, state: web::Data<HttpState>) -> Result<HttpResponse, Problem> {
    let problem = Problem::new(Fault::NotFound);
    if is_token_path_elsewhere(request.path()) {
        let base = state.settings.public_url.trim_end_matches('/');
        return Err(problem.detail(format!("The token endpoint is {base}{}", Endpoint::Token.path())));
    }
    Err(problem)
}
