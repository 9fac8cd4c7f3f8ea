//! Requests to hosts that others chose.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::client::{MetadataError, MetadataFields, MetadataUrl};
pub use domain::outbound::OutboundError;
use domain::outbound::OutboundUrl;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::fmt;
use std::time::Duration;

/// A request to a host that an app or an operator named.
#[derive(Clone, PartialEq, Eq)]
pub struct OutboundRequest {
    /// Its destination.
    pub url: OutboundUrl,
    /// Whether the operator has reviewed the destination, which may then be on a private network.
    pub is_reviewed: bool,
    /// JSON to post; `None` for a GET request.
    pub json: Option<String>,
    /// Further headers, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// Maximum number of bytes read of the response's body; the rest is dropped.
    pub max_body_bytes: usize,
    /// Maximum time from the name lookup to the last byte.
    pub timeout: Duration,
}

/// Shows the host only.
impl fmt::Debug for OutboundRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundRequest").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A response.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OutboundResponse {
    /// HTTP status; redirects are not followed.
    pub status: u16,
    /// Header fields with printable values, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The first bytes of the body.
    pub body: Vec<u8>,
    /// Whether the body was longer than the limit.
    pub is_cut: bool,
}

impl OutboundResponse {
    /// Returns the first header field with this name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

/// Shows the status only.
impl fmt::Debug for OutboundResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

/// The only way to call hosts that others chose.
///
/// Sends no credentials and follows no redirect. Resolves a name once and connects only to an address that
/// the policy allows.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait Fetcher: Send + Sync {
    /// Sends a request and returns the response, whatever its status.
    async fn fetch(&self, request: OutboundRequest) -> Result<OutboundResponse, OutboundError>;
}

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
