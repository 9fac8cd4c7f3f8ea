//! Responses to storage errors.

use super::{Fault, Problem};
use application::StorageError;

impl From<StorageError> for Problem {
    /// A store that does not respond is a 503, never a 401 (decisions 6). Errors that a retry cannot fix are
    /// a 500: a corrupt value, or a conflict that no use case expects.
    fn from(error: StorageError) -> Self {
        let fault = match error {
            StorageError::Retryable
            | StorageError::Unavailable
            | StorageError::Disk(_)
            | StorageError::Internal(_) => Fault::StorageUnavailable,
            StorageError::Conflict(_) | StorageError::Corrupt { .. } => Fault::InternalError,
        };
        Self::new(fault).with_cause(error)
    }
}
