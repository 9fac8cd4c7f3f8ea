//! Tests of the operator's use cases, by what they are about.

mod client;
mod client_secret;
mod code;
mod grant;
mod invalidation;
mod personal_token;
mod user;

use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use std::sync::Arc;

/// Hands out this one unit of work; the second tells how it ended.
fn one(unit: MockUnitOfWork) -> (Arc<PreparedUnitsOfWork>, Arc<Endings>) {
    let units = PreparedUnitsOfWork::new([unit]);
    let endings = units.endings();
    (Arc::new(units), endings)
}

/// A store that cannot be reached.
fn unavailable() -> Arc<PreparedUnitsOfWork> {
    Arc::new(PreparedUnitsOfWork::new([]))
}
