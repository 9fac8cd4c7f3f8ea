//! Revokes grants.

use crate::ports::storage::{GrantFilter, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use domain::grant::RevocationReason;
use std::sync::Arc;

/// Why no grants are revoked.
#[derive(Debug, thiserror::Error)]
pub enum RevokeGrantsError {
    /// Nothing was named, which would mean everything.
    #[error("say whose grants to revoke: a user, a client, or one grant")]
    NothingNamed,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Revokes grants.
pub struct RevokeGrants {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl RevokeGrants {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>) -> Self {
        Self { units, clock }
    }

    /// Revokes the live grants that match and returns how many; their tokens end within two seconds.
    pub async fn run(&self, filter: GrantFilter, reason: RevocationReason) -> Result<u64, RevokeGrantsError> {
        if filter == GrantFilter::default() {
            return Err(RevokeGrantsError::NothingNamed);
        }
        let mut unit = self.units.begin().await?;
        let revoked = unit.grants().revoke(filter, self.clock.now(), reason).await?;
        unit.commit().await?;
        Ok(revoked)
    }
}
