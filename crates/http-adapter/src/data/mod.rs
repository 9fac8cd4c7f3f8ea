//! The data endpoints: profile, sleep, supplements, and the change feed.
//!
//! Each calls the gate first, which authenticates, authorizes and counts; every response from then on carries
//! the rate limit. Then it reads its parameters, runs its use case and renders the result.

pub(crate) mod bearer;
mod changes;
pub mod dto;
pub(crate) mod gate;
mod link;
mod profile;
mod query;
mod render;
mod sleep;
mod supplements;
#[cfg(any(test, feature = "test-support"))]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

use crate::ingest;
use crate::openapi::error_responses;
use crate::route::Endpoint;
use actix_web::web::{ServiceConfig, get, post, put};
use utoipa::OpenApi;

/// `OpenAPI` operations of this module.
#[derive(OpenApi)]
#[openapi(
    paths(profile::show, sleep::show, supplements::show, changes::show),
    modifiers(&DataErrors, &ChangesErrors)
)]
pub(crate) struct DataApi;

error_responses! {
    /// Errors of the endpoints that read data.
    DataErrors = Problem "Data": [
        InvalidRequest InvalidParameter InvalidUserId MissingToken InvalidToken OtherUser InsufficientScope
        NotFound RateLimited StorageUnavailable
    ];
    /// Errors of the change feed.
    ChangesErrors = Problem "Changes": [
        InvalidRequest InvalidParameter InvalidUserId MissingToken InvalidToken OtherUser InsufficientScope
        NotFound CursorExpired RateLimited StorageUnavailable
    ];
}

/// Registers the data endpoints, with and without `v1`; both paths share one rate counter. No pagination link
/// leads to the change feed, so it has no unversioned path.
pub fn configure(routes: &mut ServiceConfig) {
    let profile = Endpoint::Profile.resource().route(get().to(profile::show));
    let sleep = Endpoint::Sleep.resource().route(get().to(sleep::show));
    routes
        .service(profile.route(put().to(ingest::put_profile)))
        .service(sleep.route(post().to(ingest::post_sleep)))
        .service(Endpoint::Supplements.resource().route(get().to(supplements::show)))
        .service(Endpoint::Changes.resource().route(get().to(changes::show)))
        .service(Endpoint::UnversionedProfile.resource().route(get().to(profile::show)))
        .service(Endpoint::UnversionedSleep.resource().route(get().to(sleep::show)))
        .service(Endpoint::UnversionedSupplements.resource().route(get().to(supplements::show)));
}
