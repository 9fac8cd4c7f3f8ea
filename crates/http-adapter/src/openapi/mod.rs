//! The OpenAPI document and the interactive reference.

use actix_web::web::ServiceConfig;

/// Registers `/openapi.json` and `/docs`.
pub fn configure(_routes: &mut ServiceConfig) {}
