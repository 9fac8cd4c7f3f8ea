//! The data endpoints: profile, sleep, supplements.
//!
//! Each asks the gate first, which authenticates, authorizes and counts; whatever is answered from there on
//! carries the counter. Then it reads its parameters, runs its use case and renders.

mod bearer;
pub mod dto;
mod gate;
mod link;
mod profile;
mod query;
mod render;
mod sleep;
mod supplements;
#[cfg(test)]
mod tests;

use actix_web::web::{self, ServiceConfig};

/// Registers the data endpoints, with and without `v1`; both paths of an endpoint are the same to the counter.
pub fn configure(routes: &mut ServiceConfig) {
    for prefix in ["/api/v1", "/api"] {
        let path = |endpoint: &str| format!("{prefix}/{endpoint}/{{user_id}}");
        routes
            .service(web::resource(path("profile")).route(web::get().to(profile::show)))
            .service(web::resource(path("sleep")).route(web::get().to(sleep::show)))
            .service(web::resource(path("supplements")).route(web::get().to(supplements::show)));
    }
}
