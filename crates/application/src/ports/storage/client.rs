//! Clients and their secrets.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::client::{Client, ClientSecret};
use domain::id::{ClientId, ClientSecretId, UserId};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A client with its stored secrets, live or not, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientWithSecrets {
    /// The client.
    pub client: Client,
    /// Its secrets; none for a public app.
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
    /// Lists the clients that a person registered, oldest first, ties by id.
    async fn list_own_clients(&self, owner: UserId) -> Result<Vec<Client>, StorageError>;
    /// Returns the number of admitted users of a draft.
    async fn count_draft_users(&self, id: ClientId) -> Result<u32, StorageError>;
}

impl dyn ClientReader + '_ {
    /// Returns an app that this person registered; `None` if there is none.
    pub(crate) async fn find_own(
        &self,
        owner: UserId,
        id: ClientId,
    ) -> Result<Option<ClientWithSecrets>, StorageError> {
        let found = self.find_with_secrets(id).await?;
        Ok(found.filter(|found| found.client.review.owner() == Some(owner)))
    }
}

/// Stores clients.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ClientRepository: Send {
    /// Stores a new client; MUST fail with `Conflict(ClientId)` if the id is taken.
    async fn insert(&mut self, client: &Client) -> Result<(), StorageError>;
    /// Returns a client; `None` if there is none. MUST lock the client until this unit of work ends, so that
    /// an `update` loses nothing. Adding a secret requires this lock first, so that secrets can be counted.
    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError>;
    /// Overwrites everything except the id and the secrets; returns whether the client exists.
    async fn update(&mut self, client: &Client) -> Result<bool, StorageError>;
    /// Deletes a client with its secrets, codes, consents and grants; returns whether it existed.
    async fn delete(&mut self, id: ClientId) -> Result<bool, StorageError>;
    /// Returns the names of the clients that a person registered, in any order. The caller has locked the
    /// person.
    async fn list_own_names(&mut self, owner: UserId) -> Result<Vec<String>, StorageError>;
    /// Deletes at most `limit` active clients whose metadata document expired before this time, and that have
    /// no grants, codes, authorization requests, remembered consents and webhook endpoints; returns their
    /// number.
    async fn delete_unused(&mut self, expired_before: DateTime<Utc>, limit: u32)
    -> Result<u64, StorageError>;
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

/// Stores the people, other than the owner, who can use a draft.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait DraftUserRepository: Send {
    /// Admits a person to a draft unless it already has `limit` users; returns whether the person is
    /// admitted now. MUST lock the client until this unit of work ends, so that concurrent calls never
    /// exceed the limit.
    async fn admit(
        &mut self,
        id: ClientId,
        user_id: UserId,
        limit: u32,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// Returns whether a person was admitted to a draft.
    async fn is_admitted(&mut self, id: ClientId, user_id: UserId) -> Result<bool, StorageError>;
    /// Deletes the list of a client's admitted users.
    async fn clear(&mut self, id: ClientId) -> Result<(), StorageError>;
}
