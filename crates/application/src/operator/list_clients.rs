//! Lists clients, or finds one.

use crate::ports::storage::{ClientReader, ClientWithSecrets, StorageError, UnitOfWorkFactory};
use domain::client::Client;
use domain::id::ClientId;
use std::sync::Arc;

/// Lists clients.
pub struct ListClients {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl ListClients {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Returns the clients after this id, by ascending id, at most `limit`.
    pub async fn run(&self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError> {
        let mut unit = self.units.begin().await?;
        let clients = unit.clients().list(after, limit).await?;
        unit.rollback().await?;
        Ok(clients)
    }
}

/// Finds one client.
pub struct FindClient {
    reader: Arc<dyn ClientReader>,
}

impl FindClient {
    /// Takes the port.
    pub fn new(reader: Arc<dyn ClientReader>) -> Self {
        Self { reader }
    }

    /// Returns the client with what is known of its secrets, or nothing.
    pub async fn run(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        self.reader.find_with_secrets(id).await
    }
}
