//! The Model Context Protocol at `POST /mcp`: an assistant reads what a person has allowed it to read.
//!
//! Stateless: every request carries its token, and nothing is kept between requests. The endpoint serves both
//! eras of the protocol. In the modern one (2026-07-28) each request declares its version in `_meta`, and
//! headers repeat parts of the body. In the legacy one (2025-03-26 to 2025-11-25) a client begins with
//! `initialize`, which starts no session here.
//!
//! Authentication, scopes, daily limits, concurrency limits and the record of reads are those of the data
//! endpoints: tools call the same gate and use cases.

mod endpoint;
mod era;
mod error;
mod header;
mod message;
mod method;
mod tool;
mod unique_value;

use actix_web::web::{Data, ServiceConfig, post, to};
use application::night::Nights;
use application::read::ReadIntake;
use http_adapter::{ApiState, Endpoint};
use std::sync::Arc;

/// Returns the configuration of the endpoint, for an application that [`http_adapter::configure`] has set up.
pub fn configure(state: Arc<McpState>) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        let resource = Endpoint::Mcp.resource().route(post().to(endpoint::receive));
        app.app_data(Data::from(state)).service(resource.default_service(to(endpoint::reject_method)));
    }
}

/// Use cases of the tools; shared by all workers.
pub struct McpState {
    /// Access checks and reads of the data endpoints.
    pub api: Arc<ApiState>,
    /// Today's date, and the first and last night on record.
    pub nights: Nights,
    /// Intake by day.
    pub read_intake: ReadIntake,
}
