//! Parsers of single headers and bodies, and the writer of pages, for tests of other crates, fuzzing and
//! instruction counts.
//!
//! Compiled behind the feature `test-support` only.

pub use crate::caller::named_caller;
pub use crate::data::test_support::{bearer_token, sleep_items};
pub use crate::page::test_support::{SubmittedForm, cookies, parse_position, write_position};
pub use crate::token::test_support::basic_credentials;
