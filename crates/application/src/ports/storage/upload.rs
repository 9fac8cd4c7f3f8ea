//! Uploads in a unit of work: their parts and their leases.

use super::{Import, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::ImportId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// How long a person's finished uploads lower their priority when the next upload is leased.
pub const RECENT_UPLOADS: TimeDelta = TimeDelta::hours(1);

/// Stores uploads, each under its import.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait UploadRepository: Send {
    /// Stores a part of an upload; parts are numbered from 0. An existing part stays unchanged.
    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError>;
    /// Returns the total bytes of all uploads that arrive, wait or are read; only these have parts. Parts
    /// that another unit of work is adding may be missing.
    async fn stored_bytes(&mut self) -> Result<u64, StorageError>;
    /// Deletes the parts of an upload.
    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError>;
    /// Deletes the parts of at most `limit` unfinished uploads that started before this time, and marks them
    /// `refused` with this reason; returns their number.
    async fn delete_stale(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError>;
    /// Leases an upload that waits, or that runs with an expired lease, until this time; counts the try and
    /// resets the bytes checked and done. Concurrent callers never get the same one. A person with a leased
    /// upload gets no other (except for two taken at the same moment). The person with the fewest uploads
    /// that ended within [`RECENT_UPLOADS`] before `now` comes first, then the upload that started first.
    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError>;
    /// Extends a lease until this time; returns false if the upload no longer runs.
    async fn renew(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Stores the number of checked bytes of a running import; does nothing for any other.
    async fn record_checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError>;
    /// Subtracts one try of a running upload whose server shut down cleanly; does nothing for any other. Its
    /// lease stays.
    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError>;
}
