//! Clients and their secrets.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::client::{Client, ClientSecret};
use domain::id::{ClientId, ClientSecretId};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A client with its stored secrets, live or not, oldest first.
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
    /// Returns a client and its secrets in one round trip; `None` if it does not exist. Runs on every token
    /// request.
    async fn find_with_secrets(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError>;
    /// Lists clients after `after` by ascending id, at most `limit`.
    async fn list_clients(&self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError>;
}

/// Stores clients.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ClientRepository: Send {
    /// Stores a new client with its first secret; MUST fail with `Conflict(ClientId)` if the id is taken.
    async fn insert(&mut self, client: &Client, secret: &ClientSecret) -> Result<(), StorageError>;
    /// Returns a client; `None` if there is none. MUST lock the client until this unit of work ends, so that
    /// an `update` loses nothing. Adding a secret requires this lock first, so that secrets can be counted.
    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError>;
    /// Overwrites everything except the id and the secrets; returns whether the client exists.
    async fn update(&mut self, client: &Client) -> Result<bool, StorageError>;
    /// Lists the secrets of a client, oldest first.
    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError>;
    /// Stores another secret of an existing client.
    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError>;
    /// Sets the expiry of a secret; returns whether the secret exists.
    async fn expire_secret(
        &mut self,
        id: ClientId,
        secret: ClientSecretId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
}
