//! Storage ports.
//!
//! Writes use a [`UnitOfWork`], which is opened late and never held during slow work. Reads without a
//! transaction use readers, which return exactly what a page or a check needs.
//!
//! Times are stored in microseconds, those of sleep sessions in milliseconds; the domain truncates finer
//! parts.

mod access_reader;
mod audit_repository;
mod authorization_request_repository;
mod change_reader;
mod client_repository;
mod client_usage_store;
mod code_repository;
mod connected_app_reader;
mod erasure_repository;
mod error;
mod failure_counter;
mod grant_repository;
mod idempotency_store;
mod import_journal;
mod import_repository;
mod intake_log_repository;
mod job_lease;
mod outbox_reader;
mod outbox_repository;
mod passkey_repository;
mod password_repository;
mod pending_sign_in_repository;
mod personal_token_repository;
mod profile_reader;
mod record_version;
mod sandbox_repository;
mod second_factor_repository;
mod session_repository;
mod signing_key_repository;
mod sleep_reader;
mod sleep_repository;
mod store_clock;
mod store_upkeep;
mod supplement_reader;
mod supplement_repository;
mod unit_of_work;
mod upload_repository;
mod user_repository;
mod webhook_repository;

pub use access_reader::*;
pub use audit_repository::*;
pub use authorization_request_repository::*;
pub use change_reader::*;
pub use client_repository::*;
pub use client_usage_store::*;
pub use code_repository::*;
pub use connected_app_reader::*;
pub use erasure_repository::*;
pub use error::*;
pub use failure_counter::*;
pub use grant_repository::*;
pub use idempotency_store::*;
pub use import_journal::*;
pub use import_repository::*;
pub use intake_log_repository::*;
pub use job_lease::*;
pub use outbox_reader::*;
pub use outbox_repository::*;
pub use passkey_repository::*;
pub use password_repository::*;
pub use pending_sign_in_repository::*;
pub use personal_token_repository::*;
pub use profile_reader::*;
pub use record_version::*;
pub use sandbox_repository::*;
pub use second_factor_repository::*;
pub use session_repository::*;
pub use signing_key_repository::*;
pub use sleep_reader::*;
pub use sleep_repository::*;
pub use store_clock::*;
pub use store_upkeep::*;
pub use supplement_reader::*;
pub use supplement_repository::*;
pub use unit_of_work::*;
pub use upload_repository::*;
pub use user_repository::*;
pub use webhook_repository::*;

#[cfg(feature = "test-support")]
pub mod test_support;
