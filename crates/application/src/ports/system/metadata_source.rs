//! Client metadata documents.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::client::{MetadataError, MetadataFields, MetadataUrl};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A document as served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchedMetadata {
    /// Its members, not yet checked.
    pub fields: MetadataFields,
    /// Time for which it may be cached according to the headers of the response (RFC 9111); `None` if they
    /// specify none.
    pub max_age: Option<TimeDelta>,
}

/// Reads metadata documents from their hosts.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait MetadataSource: Send + Sync {
    /// Fetches and parses the document. MUST bound its size, the time, and the number of simultaneous
    /// fetches, and MUST follow no redirect.
    async fn read(&self, url: &MetadataUrl) -> Result<FetchedMetadata, MetadataError>;
}
