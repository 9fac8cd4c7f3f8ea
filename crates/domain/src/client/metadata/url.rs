//! URLs of metadata documents.

use crate::id::ClientId;
use crate::outbound::{InvalidOutboundUrl, OutboundUrl};
use sha2::{Digest, Sha256};
use std::fmt;
use uuid::Builder;

/// Why a URL cannot be a `client_id` (section 3); shown to developers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMetadataUrl {
    /// Not a URL of printable ASCII, or too long.
    #[error("client_id must be a URL of printable ASCII, at most 500 characters")]
    Malformed,
    /// Another scheme.
    #[error("client_id must be an https URL")]
    NotHttps,
    /// No path, or only a slash.
    #[error("client_id must be a URL with a path, such as https://app.example/client.json")]
    NoPath,
    /// A path segment that is `.` or `..`.
    #[error("client_id must not have the path segments . and ..")]
    DotSegment,
    /// A fragment.
    #[error("client_id must not have a fragment")]
    Fragment,
    /// A user name or password.
    #[error("client_id must not have a user name or password")]
    UserInfo,
    /// A port at which other protocols listen.
    #[error("client_id must use port 443 or a port of 1024 or above")]
    Port,
    /// Another spelling of a URL.
    #[error("client_id must be in normal form: the host in lower case and Punycode, and no default port")]
    NotNormal,
}

/// URL of a metadata document: a `client_id`, compared as text.
#[derive(Clone, PartialEq, Eq)]
pub struct MetadataUrl(OutboundUrl);

impl MetadataUrl {
    const MAX_BYTES: usize = 500;

    /// Parses a `client_id`.
    pub fn parse(text: &str) -> Result<Self, InvalidMetadataUrl> {
        use InvalidMetadataUrl as Fault;
        let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if text.len() > Self::MAX_BYTES || !is_printable {
            return Err(Fault::Malformed);
        }
        let rest = text.strip_prefix("https://").ok_or(Fault::NotHttps)?;
        if rest.contains('#') {
            return Err(Fault::Fragment);
        }
        let (authority, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
        if authority.contains('@') {
            return Err(Fault::UserInfo);
        }
        let path = path.split('?').next().unwrap_or_default();
        if matches!(path, "" | "/") {
            return Err(Fault::NoPath);
        }
        if path.split('/').any(is_dot_segment) {
            return Err(Fault::DotSegment);
        }
        let url = OutboundUrl::parse(text).map_err(|error| match error {
            InvalidOutboundUrl::Port => Fault::Port,
            InvalidOutboundUrl::Malformed
            | InvalidOutboundUrl::NotHttps
            | InvalidOutboundUrl::HasCredentials => Fault::Malformed,
        })?;
        if url.as_str() == text { Ok(Self(url)) } else { Err(Fault::NotNormal) }
    }

    /// Returns the URL as sent.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host, with the port unless it is 443.
    pub fn host(&self) -> &str {
        self.0.authority()
    }

    /// Returns the URL to fetch.
    pub const fn target(&self) -> &OutboundUrl {
        &self.0
    }

    /// Returns the id under which the client is stored: a UUID of version 8 made of the URL's SHA-256. Ids of
    /// other clients have other versions.
    pub fn client_id(&self) -> ClientId {
        let mut bytes = [0; 16];
        for (byte, hashed) in bytes.iter_mut().zip(Sha256::digest(self.as_str())) {
            *byte = hashed;
        }
        ClientId::from_uuid(Builder::from_custom_bytes(bytes).into_uuid())
    }
}

/// Shows the host only, as [`OutboundUrl`] does.
impl fmt::Debug for MetadataUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MetadataUrl({})", self.host())
    }
}

/// Returns whether URL parsers resolve a path segment, also a percent-encoded one.
fn is_dot_segment(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}
