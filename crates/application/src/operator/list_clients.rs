//! Lists clients, or finds one.

use crate::ports::storage::{ClientReader, ClientWithSecrets, StorageError};
use domain::client::Client;
use domain::id::ClientId;
use std::sync::Arc;

/// Lists clients.
pub struct ListClients {
    reader: Arc<dyn ClientReader>,
}

impl ListClients {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn ClientReader>) -> Self {
        Self { reader }
    }

    /// Returns at most `limit` clients after this id, by ascending id.
    pub async fn run(&self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError> {
        self.reader.list_clients(after, limit).await
    }
}

/// Finds one client.
pub struct FindClient {
    reader: Arc<dyn ClientReader>,
}

impl FindClient {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn ClientReader>) -> Self {
        Self { reader }
    }

    /// Returns the client and its secrets; `None` if there is none.
    pub async fn run(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        self.reader.find_with_secrets(id).await
    }
}
