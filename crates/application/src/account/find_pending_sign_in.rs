//! Finds the sign-in of a browser that waits for its second step.

pub use crate::ports::storage::PendingSignInWithEmail;
use crate::ports::storage::{PendingSignInReader, StorageError};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::secret::Secret;
use std::sync::Arc;

/// Finds pending sign-ins.
#[derive(Constructor)]
pub struct FindPendingSignIn {
    reader: Arc<dyn PendingSignInReader>,
    clock: Arc<dyn Clock>,
}

impl FindPendingSignIn {
    /// Returns the live pending sign-in of the browser with this cookie; `None` if there is none.
    pub async fn run(&self, cookie: &Secret) -> Result<Option<PendingSignInWithEmail>, StorageError> {
        let found = self.reader.find_pending_sign_in(&cookie.hash()).await?;
        Ok(found.filter(|found| found.pending.is_live(self.clock.now())))
    }
}
