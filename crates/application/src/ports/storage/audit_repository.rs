//! The audit trail, and the sums of reads.

use super::StorageError;
pub use crate::audit::audit_page::{AuditFilter, AuditPosition};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditEvent;
use domain::id::UserId;
use domain::read_tally::{ReadTally, TallyKey};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Writes the audit trail, in the transaction of what it tells about.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AuditRepository: Send {
    /// Appends an event. There is no way to change one, and the store MUST refuse it to others as well.
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError>;
    /// Appends an event unless the trail has one of the same kind, actor, person, client and subject from `since` on.
    ///
    /// Appends nothing about a person who does not exist. An erasure of the person MUST wait for the end of this unit of
    /// work, so that it takes the event along; writers of the person's data MUST NOT be waited for.
    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError>;
    /// Deletes events that happened before this moment, the oldest first, at most `limit`; returns how many.
    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// Reads the audit trail, outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AuditReader: Send + Sync {
    /// Lists the events that match, the latest first, ties by descending id; those after `after`, at most `limit`.
    async fn list_events(
        &self,
        filter: AuditFilter,
        after: Option<AuditPosition>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError>;
}

/// Keeps the sums of reads.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ReadTallyStore: Send + Sync {
    /// Adds sums to those that are stored, all or none: requests and items are added up, the range is widened.
    ///
    /// MUST be atomic over many processes. In the same transaction it notes the use of personal tokens among the
    /// readers (a later moment than the stored one wins). Sums of people who do not exist any more are dropped.
    async fn add(&self, tallies: &[ReadTally]) -> Result<(), StorageError>;
    /// Lists a person's sums, the latest minute first, ties in a fixed order; those after `after`, at most `limit`.
    async fn list(
        &self,
        user_id: UserId,
        after: Option<TallyKey>,
        limit: u32,
    ) -> Result<Vec<ReadTally>, StorageError>;
    /// Deletes sums of minutes before this moment, at most `limit`; returns how many.
    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
