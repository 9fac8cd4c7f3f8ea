//! Client metadata documents.

use application::ports::system::{
    FetchedMetadata, Fetcher, MetadataSource, OutboundRequest, OutboundResponse,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta};
use domain::client::{MetadataError, MetadataFields, MetadataUrl};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Largest document, as section 6.6 of the draft recommends.
const MAX_BYTES: usize = 5 * 1024;
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of fetches at a time: any visitor can cause them. Further ones are refused.
const MAX_CONCURRENT: usize = 8;

/// Fetches and parses metadata documents.
pub struct MetadataReader {
    fetcher: Arc<dyn Fetcher>,
    slots: Semaphore,
}

impl MetadataReader {
    /// Creates a reader over a fetcher.
    pub fn new(fetcher: Arc<dyn Fetcher>) -> Self {
        Self { fetcher, slots: Semaphore::new(MAX_CONCURRENT) }
    }
}

#[async_trait]
impl MetadataSource for MetadataReader {
    async fn read(&self, url: &MetadataUrl) -> Result<FetchedMetadata, MetadataError> {
        let _slot = self.slots.try_acquire().map_err(|_| MetadataError::Busy)?;
        let request = OutboundRequest {
            url: url.target().clone(),
            is_reviewed: false,
            json: None,
            headers: Vec::new(),
            max_body_bytes: MAX_BYTES,
            timeout: TIMEOUT,
        };
        let response = self.fetcher.fetch(request).await?;
        if response.status != 200 {
            return Err(MetadataError::Status);
        }
        if response.is_cut {
            return Err(MetadataError::TooLarge);
        }
        if !response.header("content-type").is_some_and(is_json) {
            return Err(MetadataError::ContentType);
        }
        Ok(FetchedMetadata { fields: parse(&response.body)?, max_age: max_age(&response) })
    }
}

/// Returns whether a media type is `application/json` or a more specific one.
fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = kind.strip_prefix("application/");
    subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// Members of the document. A member that occurs twice is an error.
#[derive(Deserialize)]
struct Document {
    client_id: Option<String>,
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: Option<String>,
    #[serde(default, deserialize_with = "is_present")]
    client_secret: bool,
    #[serde(default, deserialize_with = "is_present")]
    client_secret_expires_at: bool,
    scope: Option<String>,
    client_uri: Option<String>,
    policy_uri: Option<String>,
}

/// Accepts any value, including `null`.
fn is_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

fn parse(body: &[u8]) -> Result<MetadataFields, MetadataError> {
    // Otherwise an array with the values of the members would be accepted.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(MetadataError::NotJson);
    }
    let document: Document = serde_json::from_slice(body).map_err(|_| MetadataError::NotJson)?;
    Ok(MetadataFields {
        client_id: document.client_id,
        client_name: document.client_name,
        redirect_uris: document.redirect_uris,
        auth_method: document.token_endpoint_auth_method,
        has_secret: document.client_secret || document.client_secret_expires_at,
        scope: document.scope,
        client_uri: document.client_uri,
        policy_uri: document.policy_uri,
    })
}

/// Returns how long a cache may keep a response (RFC 9111 section 4.2); `None` if it does not say.
fn max_age(response: &OutboundResponse) -> Option<TimeDelta> {
    let fields = response.headers.iter().filter(|(name, _)| name == "cache-control");
    let directives =
        fields.flat_map(|(_, value)| value.split(',')).map(|text| text.trim().to_ascii_lowercase());
    let directives: Vec<String> = directives.collect();
    if directives.iter().any(|directive| matches!(directive.as_str(), "no-store" | "no-cache")) {
        return Some(TimeDelta::zero());
    }
    let seconds = |text: &str| text.parse::<u32>().ok().map(|seconds| TimeDelta::seconds(i64::from(seconds)));
    let by_directive = directives.iter().find_map(|directive| seconds(directive.strip_prefix("max-age=")?));
    let lifetime = by_directive.or_else(|| until_expiry(response))?;
    Some(lifetime - response.header("age").and_then(seconds).unwrap_or_default())
}

/// Returns the time from `Date` to `Expires`.
fn until_expiry(response: &OutboundResponse) -> Option<TimeDelta> {
    // Anything but a time, such as 0, means that it has expired.
    let Ok(expires) = DateTime::parse_from_rfc2822(response.header("expires")?) else {
        return Some(TimeDelta::zero());
    };
    Some(expires - DateTime::parse_from_rfc2822(response.header("date")?).ok()?)
}
