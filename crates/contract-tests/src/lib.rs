//! The suite that every storage adapter must pass, each case declared once.
//!
//! A case is a function over a [`Harness`], named as the sentence that it proves, in the module of its aggregate.
//! The list in `suite.rs` names every case; one that is not listed does not compile without a warning. An adapter runs
//! them all with one line in a test:
//!
//! ```text
//! async fn make_store() -> contract_tests::Harness { /* an empty store */ }
//! contract_tests::contract_tests!(make_store);
//! ```
//!
//! Cases store what a row refers to before the row: the person before their data, the client before its grants,
//! the supplement before its logs. They never ask for an id that two people share, except where they say so.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the crate is a test suite: a case fails by panicking"
)]

#[macro_use]
mod declaration;

mod access;
mod audit;
mod authorization_request;
mod change;
mod client;
mod code;
mod connected_app;
mod consent;
mod erasure;
mod failure_counter;
mod fixture;
mod grant;
mod harness;
mod idempotency;
mod import;
mod import_cancel;
mod import_journal;
mod import_profile;
mod import_rival;
mod intake_log;
mod job_lease;
mod outbox;
mod password;
mod password_link;
mod personal_token;
pub mod rate_limiter;
mod read_tally;
mod reader;
mod session;
mod signing_key;
mod sleep;
mod sleep_page;
mod suite;
mod supplement;
mod supplement_page;
mod unit_of_work;
mod upkeep;
mod user;

pub use harness::Harness;
pub use suite::cases;
