//! Tests of the operator's use cases.

mod client;
mod client_secret;
mod code;
mod grant;
mod invalidation;
mod user;

use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::testing::{one, units};
use std::sync::Arc;

/// A store that is unavailable.
fn unavailable() -> Arc<PreparedUnitsOfWork> {
    units([])
}
