//! Parsers of single headers and bodies, the writer of pages, and requests to an application, for tests of
//! other crates, fuzzing and instruction counts.
//!
//! Compiled behind the feature `test-support` only.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "an unexpected response fails the test"
)]

mod response;
mod route;
mod state;

pub use crate::caller::named_caller;
pub use crate::data::test_support::{bearer_token, sleep_items};
pub use crate::token::test_support::basic_credentials;
pub use response::{TestResponse, send_to};
pub use route::{assert_serves_exactly, is_page};
pub use state::{FixedHealth, REQUEST_ID, http_state};
