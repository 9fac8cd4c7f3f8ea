//! The data endpoints, profile, sleep and supplements, and the feed of what changed of them.
//!
//! Each asks the gate first, which authenticates, authorizes and counts; whatever is answered from there on
//! carries the counter. Then it reads its parameters, runs its use case and renders.

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
use crate::route::Endpoint;
use actix_web::web::{ServiceConfig, get, post, put};

/// Registers the data endpoints, with and without `v1`; both paths of an endpoint are the same to the counter. Those
/// that are read most are found directly. No link leads to the feed, which has the path with `v1` alone.
pub fn configure(routes: &mut ServiceConfig) {
    for endpoint in [Endpoint::Profile, Endpoint::UnversionedProfile] {
        routes.service(endpoint.direct_read(get().to(profile::show)));
    }
    for endpoint in [Endpoint::Sleep, Endpoint::UnversionedSleep] {
        routes.service(endpoint.direct_read(get().to(sleep::show)));
    }
    for endpoint in [Endpoint::Supplements, Endpoint::UnversionedSupplements] {
        routes.service(endpoint.direct_read(get().to(supplements::show)));
    }
    let profile = Endpoint::Profile.resource().route(get().to(profile::show));
    let sleep = Endpoint::Sleep.resource().route(get().to(sleep::show));
    routes
        .service(profile.route(put().to(ingest::put_profile)))
        .service(Endpoint::UnversionedProfile.resource().route(get().to(profile::show)))
        .service(sleep.route(post().to(ingest::post_sleep)))
        .service(Endpoint::UnversionedSleep.resource().route(get().to(sleep::show)));
    for endpoint in [Endpoint::Supplements, Endpoint::UnversionedSupplements] {
        routes.service(endpoint.resource().route(get().to(supplements::show)));
    }
    routes.service(Endpoint::Changes.resource().route(get().to(changes::show)));
}
