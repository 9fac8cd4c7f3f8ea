//! The data endpoints: profile, sleep, supplements.

use actix_web::web::ServiceConfig;

/// Registers the data endpoints, with and without `v1`.
pub fn configure(_routes: &mut ServiceConfig) {}
