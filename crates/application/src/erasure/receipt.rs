//! Receipts of erasures.

use chrono::{DateTime, Utc};
use domain::id::ErasureId;

/// Record of an erasure, without the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erasure {
    /// Id of the receipt.
    pub id: ErasureId,
    /// Time of the erasure.
    pub at: DateTime<Utc>,
}
