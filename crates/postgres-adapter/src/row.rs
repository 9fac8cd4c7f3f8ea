//! Conversions of cells that several tables share.
//!
//! Each conversion destructures the whole value, so that a new field does not compile until it is stored.

mod fixed_array;
mod json;

pub(crate) use fixed_array::FixedArray;
pub(crate) use json::JsonText;
pub(crate) use store_shared::{known_moment, lower_bound, upper_bound};

use crate::error::corrupt;
use application::ports::storage::StorageError;
use domain::scope::ScopeSet;
use std::fmt::Display;

pub(crate) fn scope_set(
    text: &str,
    table: &'static str,
    row: impl Display,
) -> Result<ScopeSet, StorageError> {
    ScopeSet::parse(text).map_err(corrupt(table, "scopes", row))
}
