//! The receipt of an erasure.

use chrono::{DateTime, Utc};
use domain::id::ErasureId;

/// What is kept of an erasure: that it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erasure {
    /// The number of the receipt.
    pub id: ErasureId,
    /// When.
    pub at: DateTime<Utc>,
}
