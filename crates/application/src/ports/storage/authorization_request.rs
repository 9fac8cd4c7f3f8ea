//! Pending authorization requests and remembered consents.

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

/// Stores authorization requests.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AuthorizationRequestRepository: Send {
    /// Stores a request of an existing client.
    async fn insert(&mut self, request: &AuthorizationRequest) -> Result<(), StorageError>;
    /// Returns a request, open or not; `None` if there is none. MUST lock it against other units of work
    /// until this one ends.
    async fn find(
        &mut self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError>;
    /// Assigns an unassigned request to this user; returns whether it was unassigned. MUST be one conditional
    /// statement.
    async fn assign(&mut self, id: AuthorizationRequestId, user_id: UserId) -> Result<bool, StorageError>;
    /// Marks an open request as decided; exactly one of several concurrent calls returns `true`. MUST be one
    /// conditional statement.
    async fn decide(&mut self, id: AuthorizationRequestId, at: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Deletes a user's requests, open or not, except for the `keep` newest (ties by id); returns their
    /// number.
    async fn delete_excess(&mut self, user_id: UserId, keep: usize) -> Result<u64, StorageError>;
    /// Deletes at most `limit` requests from before this time; returns their number.
    async fn delete_older(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// Stores remembered consents, at most one per user and client.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ConsentRepository: Send {
    /// Returns the remembered consent of a user for a client; `None` if there is none.
    async fn find(
        &mut self,
        user_id: UserId,
        client_id: ClientId,
    ) -> Result<Option<RememberedConsent>, StorageError>;
    /// Stores a consent and replaces an earlier one of the same user and client.
    async fn remember(&mut self, consent: &RememberedConsent) -> Result<(), StorageError>;
    /// Deletes matching consents (`None` matches all); returns their number.
    async fn forget(
        &mut self,
        user_id: Option<UserId>,
        client_id: Option<ClientId>,
    ) -> Result<u64, StorageError>;
    /// Deletes at most `limit` consents of any users; returns their number. Only for the operator's
    /// invalidation.
    async fn forget_any(&mut self, limit: u32) -> Result<u64, StorageError>;
}
