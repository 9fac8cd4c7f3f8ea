//! Tests of the operator's use cases.

mod client;
mod client_secret;
mod code;
mod grant;
mod invalidation;
mod personal_token;
mod user;

use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use std::sync::Arc;

/// A store with this one unit of work, and how it ended.
fn one(unit: MockUnitOfWork) -> (Arc<PreparedUnitsOfWork>, Arc<Endings>) {
    let units = PreparedUnitsOfWork::new([unit]);
    let endings = units.endings();
    (Arc::new(units), endings)
}

/// A store that is unavailable.
fn unavailable() -> Arc<PreparedUnitsOfWork> {
    Arc::new(PreparedUnitsOfWork::new([]))
}
