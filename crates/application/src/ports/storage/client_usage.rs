//! Usage of clients.

use super::StorageError;
use async_trait::async_trait;
use chrono::NaiveDate;
use domain::client_usage::ClientUsage;
use domain::id::ClientId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Store of clients' usage. It may hold usage of clients that no longer exist.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ClientUsageStore: Send + Sync {
    /// Adds sums to the stored ones, all or none: requests are added up, and the smaller number of requests
    /// left is stored.
    ///
    /// MUST be atomic across processes.
    async fn add_usage(&self, usage: &[ClientUsage]) -> Result<(), StorageError>;
    /// Lists the usage of a client since a day, latest day first, ties in a fixed order.
    async fn list_usage(
        &self,
        client_id: ClientId,
        since: NaiveDate,
    ) -> Result<Vec<ClientUsage>, StorageError>;
    /// Deletes at most `limit` sums of days before this one; returns their number.
    async fn delete_usage_before(&self, day: NaiveDate, limit: u32) -> Result<u64, StorageError>;
}
