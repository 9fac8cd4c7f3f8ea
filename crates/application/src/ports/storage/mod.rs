//! Storage ports.
//!
//! Writes use a [`UnitOfWork`], which is opened late and never held during slow work. Reads without a
//! transaction use readers, which return exactly what a page or a check needs.
//!
//! Times are stored in microseconds, those of sleep sessions in milliseconds; the domain truncates finer
//! parts.

mod access;
mod audit;
mod authorization_request;
mod change;
mod client;
mod client_usage;
mod code;
mod connected_app;
mod erasure;
mod error;
mod failure_counter;
mod grant;
mod idempotency;
mod import;
mod import_journal;
mod intake_log;
mod job_lease;
mod outbox;
mod passkey;
mod password;
mod pending_sign_in;
mod personal_token;
mod record_version;
mod sandbox;
mod second_factor;
mod session;
mod signing_key;
mod sleep;
mod store;
mod supplement;
mod unit_of_work;
mod upload;
mod user;
mod webhook;

pub use access::*;
pub use audit::*;
pub use authorization_request::*;
pub use change::*;
pub use client::*;
pub use client_usage::*;
pub use code::*;
pub use connected_app::*;
pub use erasure::*;
pub use error::*;
pub use failure_counter::*;
pub use grant::*;
pub use idempotency::*;
pub use import::*;
pub use import_journal::*;
pub use intake_log::*;
pub use job_lease::*;
pub use outbox::*;
pub use passkey::*;
pub use password::*;
pub use pending_sign_in::*;
pub use personal_token::*;
pub use record_version::*;
pub use sandbox::*;
pub use second_factor::*;
pub use session::*;
pub use signing_key::*;
pub use sleep::*;
pub use store::*;
pub use supplement::*;
pub use unit_of_work::*;
pub use upload::*;
pub use user::*;
pub use webhook::*;

#[cfg(feature = "test-support")]
pub mod test_support;
