//! The audit trail and the read tallies.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditEvent, AuditKind};
use domain::id::{AuditEventId, ClientId, UserId};
use domain::read_tally::{ReadTally, TallyKey};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Event filter; `None` or empty matches all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Events about this user.
    pub user_id: Option<UserId>,
    /// Events about this client.
    pub client_id: Option<ClientId>,
    /// Events of these kinds.
    pub kinds: Option<&'static [AuditKind]>,
    /// Events at or after this time.
    pub since: Option<DateTime<Utc>>,
}

/// Position in the audit trail, after the event with this time and id.
pub type AuditPosition = (DateTime<Utc>, AuditEventId);

/// Writes audit events in the transaction of the change that they describe.
#[async_trait]
pub trait AuditRepository: Send {
    /// Appends an event. Events cannot be changed; the store MUST reject updates.
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError>;
    /// Appends an event unless the trail has one of the same kind, actor, user, client and subject at or
    /// after `since`.
    ///
    /// Appends nothing for a user who does not exist. An erasure of the user MUST wait for the end of this
    /// unit of work, so that it deletes the event too. Writers of the user's data MUST NOT be waited for.
    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError>;
    /// Deletes at most `limit` events before this time, oldest first; returns their number.
    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// Reads the audit trail, outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AuditReader: Send + Sync {
    /// Lists matching events after `after`, latest first, then by descending id; at most `limit`.
    async fn list_events(
        &self,
        filter: AuditFilter,
        after: Option<AuditPosition>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError>;
}

/// Stores read tallies.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ReadTallyStore: Send + Sync {
    /// Adds tallies to the stored ones, all or none: requests and items are summed, the range is widened.
    ///
    /// MUST be atomic across processes. The same transaction records the use of personal tokens among the
    /// readers (the later time wins). Tallies of deleted users are dropped.
    async fn add(&self, tallies: &[ReadTally]) -> Result<(), StorageError>;
    /// Lists a user's tallies after `after`, latest minute first, ties in a fixed order; at most `limit`.
    async fn list(
        &self,
        user_id: UserId,
        after: Option<TallyKey>,
        limit: u32,
    ) -> Result<Vec<ReadTally>, StorageError>;
    /// Deletes at most `limit` tallies of minutes before this time; returns their number.
    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
