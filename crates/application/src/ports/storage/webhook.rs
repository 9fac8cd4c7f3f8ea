//! Webhook endpoints, their pending events, and the log of deliveries.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::scope::ScopeSet;
use domain::webhook::{Delivery, EventKey, WebhookEndpoint};
#[cfg(feature = "test-support")]
use mockall::automock;

/// An event that an endpoint has not been sent yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingEvent {
    /// Key of the event.
    pub key: EventKey,
    /// If records changed, the person's latest change number; otherwise the time of the event in
    /// microseconds.
    pub number: i64,
    /// If records changed, the change number up to which the endpoint was notified; otherwise 0.
    pub announced: i64,
    /// When the event occurred: if records changed, no later than the first change after `announced`. Later
    /// changes do not affect it until the endpoint was notified.
    pub occurred_at: DateTime<Utc>,
    /// Number of failed attempts.
    pub failed: u32,
    /// When it is tried next.
    pub due_at: DateTime<Utc>,
}

/// State of an event after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The endpoint was notified. The event is due again at once if its number has grown since; nothing
    /// changes if it was replayed since.
    Announced,
    /// The attempt failed; the event is due again at this time.
    Retry(DateTime<Utc>),
    /// The event is due at once, and its failed attempts no longer count; for an endpoint that is being
    /// disabled.
    Kept,
    /// The event is not due until the person's next change, which is then announced with this one: the client
    /// has no live grant, or the account is locked. Due at once if its number has grown.
    Paused,
    /// The event is deleted, because the client may no longer be notified. Kept if its number has grown.
    Dropped,
}

/// Reads webhooks outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait WebhookReader: Send + Sync {
    /// Lists the endpoints of enabled clients, or those of one client, by creation time.
    async fn list_endpoints(&self, client_id: Option<ClientId>)
    -> Result<Vec<WebhookEndpoint>, StorageError>;
    /// Returns an endpoint of an enabled client; `None` if there is none.
    async fn find_endpoint(&self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError>;
    /// Lists at most `limit` events of these endpoints that are due, in any order.
    async fn list_due_events(
        &self,
        endpoints: &[WebhookEndpointId],
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<EventKey>, StorageError>;
    /// Returns a pending event; `None` if there is none.
    async fn find_pending_event(&self, key: EventKey) -> Result<Option<PendingEvent>, StorageError>;
    /// Returns the scopes of all live grants that this client has of this person; none if the account is
    /// locked.
    async fn list_live_scopes(&self, client_id: ClientId, user_id: UserId) -> Result<ScopeSet, StorageError>;
    /// Lists the deliveries to an endpoint, latest first, at most `limit`.
    async fn list_deliveries(&self, id: WebhookEndpointId, limit: u32)
    -> Result<Vec<Delivery>, StorageError>;
    /// Returns the number of events that are due at `now`, including those of disabled endpoints.
    async fn count_due_events(&self, now: DateTime<Utc>) -> Result<u64, StorageError>;
}

/// Stores webhooks.
///
/// The other repositories queue events: a unit of work that changes records of a person, revokes the last
/// live grant that a client has of a person, or erases a person MUST queue the event for every endpoint of
/// the clients concerned, in the same transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait WebhookRepository: Send {
    /// Stores a new endpoint of an existing client, which the unit of work has locked.
    async fn insert(&mut self, endpoint: &WebhookEndpoint) -> Result<(), StorageError>;
    /// Lists the endpoints of a client, which the unit of work has locked, by creation time.
    async fn list(&mut self, client_id: ClientId) -> Result<Vec<WebhookEndpoint>, StorageError>;
    /// Returns an endpoint and locks it until this unit of work ends; `None` if there is none.
    async fn find(&mut self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError>;
    /// Overwrites everything but the id and the client; returns whether the endpoint exists.
    async fn update(&mut self, endpoint: &WebhookEndpoint) -> Result<bool, StorageError>;
    /// Deletes an endpoint with its events and deliveries; returns whether it existed.
    async fn delete(&mut self, id: WebhookEndpointId) -> Result<bool, StorageError>;
    /// Queues an event with this number, due at once, without failed attempts. Replaces the event with this
    /// key.
    async fn queue(&mut self, key: EventKey, number: i64) -> Result<(), StorageError>;
    /// Makes an event about changed records due at once, as if the endpoint had been notified up to
    /// `announced` only, and the next change had occurred at `occurred_at`. Raises neither; does nothing if
    /// there is no such event.
    async fn replay(
        &mut self,
        key: EventKey,
        announced: i64,
        occurred_at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Settles an event as it was read.
    async fn settle(&mut self, event: &PendingEvent, settlement: Settlement) -> Result<(), StorageError>;
    /// Logs a delivery.
    async fn log(&mut self, delivery: &Delivery) -> Result<(), StorageError>;
    /// Deletes at most `limit` logged deliveries, and all events about revocations and erasures, from before
    /// this time; returns both numbers.
    async fn delete_old(&mut self, before: DateTime<Utc>, limit: u32) -> Result<(u64, u64), StorageError>;
}
