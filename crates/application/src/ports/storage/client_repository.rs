//! Clients and their secrets.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::client::{Client, ClientSecret};
use domain::id::{ClientId, ClientSecretId};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A client with those of its secrets that are stored, live or not, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientWithSecrets {
    /// The client.
    pub client: Client,
    /// Its secrets.
    pub secrets: Vec<ClientSecret>,
}

/// Reads clients outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ClientReader: Send + Sync {
    /// Returns a client and its secrets in one round trip; `None` if it does not exist. Runs on every token request.
    async fn find_with_secrets(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError>;
    /// Lists clients by ascending id, those after `after`, at most `limit`.
    async fn list_clients(&self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError>;
}

/// Keeps clients.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ClientRepository: Send {
    /// Stores a new client with its first secret; MUST fail with `Conflict(ClientId)` when taken.
    async fn insert(&mut self, client: &Client, secret: &ClientSecret) -> Result<(), StorageError>;
    /// Returns a client, or nothing. A client that was found MUST NOT be changed by another unit of work before this
    /// one ends, so that an `update` with what was found undoes nothing, and secrets can be counted: whoever gives
    /// a client another secret finds the client first.
    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError>;
    /// Overwrites everything but the id and the secrets; returns whether the client exists.
    async fn update(&mut self, client: &Client) -> Result<bool, StorageError>;
    /// Lists the secrets of a client, oldest first.
    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError>;
    /// Stores a further secret of a client that exists.
    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError>;
    /// Sets the moment from which a secret counts no more; returns whether the secret exists.
    async fn expire_secret(
        &mut self,
        id: ClientId,
        secret: ClientSecretId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
}
