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
use domain::secret::SecretHash;
use std::fmt::Display;

/// Reads a 32-byte hash.
pub(crate) fn secret_hash(
    bytes: &[u8],
    table: &'static str,
    column: &'static str,
    row: impl Display,
) -> Result<SecretHash, StorageError> {
    bytes.try_into().map(SecretHash::from_bytes).map_err(corrupt(table, column, row))
}

pub(crate) fn scope_set(
    text: &str,
    table: &'static str,
    row: impl Display,
) -> Result<ScopeSet, StorageError> {
    ScopeSet::parse(text).map_err(corrupt(table, "scopes", row))
}
