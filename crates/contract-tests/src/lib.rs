//! Test suite for every storage adapter; each case is declared once.
//!
//! A case is a function over a [`Harness`] in the module of its aggregate, and its name states what it
//! checks. The lists in `suite.rs` and `service_suite.rs` contain every case; the compiler warns about an
//! unlisted one. An adapter runs all cases with two lines in a test:
//!
//! ```text
//! async fn make_store() -> contract_tests::Harness { /* an empty store */ }
//! contract_tests::contract_tests!(make_store);
//! contract_tests::service_contract_tests!(make_store);
//! ```
//!
//! Cases store a referenced row before the rows that refer to it: the person before their data, the client
//! before its grants, the supplement before its logs. Unless stated otherwise, no id is shared by two people.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the crate is a test suite: a case fails by panicking"
)]

#[macro_use]
mod declaration;

mod access;
mod account;
mod audit;
mod authorization_request;
mod change;
mod client;
mod client_app;
mod client_command;
mod client_form;
mod client_usage;
mod code;
mod code_form;
mod connected_app;
mod consent;
mod consent_form;
mod consent_page;
mod credential;
mod demo;
mod draft_user;
mod erasure;
mod erasure_form;
mod erasure_race;
mod failure_counter;
mod fixture;
mod grant;
mod grant_form;
mod harness;
mod idempotency;
mod import;
mod import_cancel;
mod import_concurrency;
mod import_form;
mod import_journal;
mod import_profile;
mod import_repetition;
mod intake_log;
mod job_lease;
mod metadata_client;
mod outbox;
mod own_product;
mod passkey;
mod passkey_form;
mod password;
mod password_change;
mod password_form;
mod password_limit;
mod password_link;
mod password_link_form;
mod pending_sign_in;
mod personal_token;
mod personal_token_form;
mod profile_form;
pub mod rate_limiter;
mod read_tally;
mod reader;
mod rejection;
mod rotation;
mod sandbox;
mod second_factor;
mod second_factor_form;
mod service;
mod service_suite;
mod session;
mod session_form;
mod sign_in;
mod sign_in_form;
mod signing_key;
mod signing_key_form;
mod sleep;
mod sleep_page;
mod suite;
mod supplement;
mod supplement_page;
mod token_form;
mod transaction;
mod unit_of_work;
mod upkeep;
mod user;
mod user_form;
mod webhook;
mod webhook_form;

pub use harness::Harness;
pub use service_suite::service_cases;
pub use suite::cases;
