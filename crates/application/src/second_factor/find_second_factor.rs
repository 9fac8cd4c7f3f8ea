//! Finds the state of a user's second factor.

pub use crate::ports::storage::SecondFactorState;
use crate::ports::storage::{SecondFactorReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use std::sync::Arc;

/// Finds second factors.
#[derive(Constructor)]
pub struct FindSecondFactor {
    reader: Arc<dyn SecondFactorReader>,
}

impl FindSecondFactor {
    /// Returns the state; `None` if the second factor is off.
    pub async fn run(&self, user_id: UserId) -> Result<Option<SecondFactorState>, StorageError> {
        self.reader.find_second_factor(user_id).await
    }
}
