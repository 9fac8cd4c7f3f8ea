//! Authorization requests while their person decides, and the consents that are remembered.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::authorization_request::AuthorizationRequest;
use domain::consent::RememberedConsent;
use domain::id::{AuthorizationRequestId, ClientId, UserId};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Reads authorization requests outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AuthorizationRequestReader: Send + Sync {
    /// Returns a request, open or not; `None` if there is none.
    async fn find_authorization_request(
        &self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError>;
}

/// Keeps authorization requests.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AuthorizationRequestRepository: Send {
    /// Stores a request of a client that exists.
    async fn insert(&mut self, request: &AuthorizationRequest) -> Result<(), StorageError>;
    /// Returns a request, open or not, or nothing. One that was found MUST NOT be changed by another unit of work
    /// before this one ends.
    async fn find(
        &mut self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError>;
    /// Gives a request that nobody has signed in for to this person; returns whether that was so. MUST be one
    /// conditional statement.
    async fn assign(&mut self, id: AuthorizationRequestId, user_id: UserId) -> Result<bool, StorageError>;
    /// Marks an open request as decided; of many racing calls exactly one gets `true`. MUST be one conditional
    /// statement.
    async fn decide(&mut self, id: AuthorizationRequestId, at: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Deletes a person's requests, open or not, beyond the `keep` youngest (ties by id); returns how many.
    async fn delete_excess(&mut self, user_id: UserId, keep: usize) -> Result<u64, StorageError>;
    /// Deletes requests that came before this moment, at most `limit`; returns how many.
    async fn delete_older(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// Keeps remembered consents, at most one a person and client.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ConsentRepository: Send {
    /// Returns what a person told Restwell to remember for a client, or nothing.
    async fn find(
        &mut self,
        user_id: UserId,
        client_id: ClientId,
    ) -> Result<Option<RememberedConsent>, StorageError>;
    /// Remembers a consent instead of an earlier one for the same person and client.
    async fn remember(&mut self, consent: &RememberedConsent) -> Result<(), StorageError>;
    /// Forgets what matches; what is not named matches all. Returns how many.
    async fn forget(
        &mut self,
        user_id: Option<UserId>,
        client_id: Option<ClientId>,
    ) -> Result<u64, StorageError>;
    /// Forgets consents of anybody, at most `limit`; returns how many. For the operator's invalidation alone.
    async fn forget_any(&mut self, limit: u32) -> Result<u64, StorageError>;
}
