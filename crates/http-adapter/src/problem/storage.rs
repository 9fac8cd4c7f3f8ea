//! What a failed store means to the outside.

use super::{Fault, Problem};
use application::ports::storage::StorageError;

impl From<StorageError> for Problem {
    /// A store that cannot answer is a 503, never a 401 (decisions 6). What trying again cannot mend is a 500:
    /// a corrupt value, or a conflict that no use case foresaw.
    fn from(error: StorageError) -> Self {
        let fault = match error {
            StorageError::Retryable
            | StorageError::Unavailable
            | StorageError::Disk(_)
            | StorageError::Internal(_) => Fault::StorageUnavailable,
            StorageError::Conflict(_) | StorageError::Corrupt { .. } => Fault::InternalError,
        };
        Self::new(fault).because(error)
    }
}
