//! Clients that name themselves by the URL of a document about them
//! (draft-ietf-oauth-client-id-metadata-document-01).

mod content;
mod error;
mod policy;
#[cfg(test)]
mod tests;
mod url;

pub use content::{MetadataContent, MetadataFields};
pub use error::MetadataError;
pub use policy::MetadataPolicy;
pub use url::{InvalidMetadataUrl, MetadataUrl};

use super::Client;
use crate::id::ClientId;
use chrono::{DateTime, Utc};

/// Document that a client was registered from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataDocument {
    /// Its URL, which is the `client_id` in requests.
    pub url: MetadataUrl,
    /// When it must be fetched again.
    pub fresh_until: DateTime<Utc>,
}

/// `client_id` of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresentedClientId {
    /// Id of a client that a person or the operator registered.
    Registered(ClientId),
    /// URL of a metadata document.
    Metadata(MetadataUrl),
}

/// The text is no `client_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidClientId {
    /// Neither a UUID nor a URL.
    #[error("neither a UUID nor a URL")]
    Malformed,
    /// A URL that cannot be that of a metadata document.
    #[error(transparent)]
    Url(#[from] InvalidMetadataUrl),
}

impl PresentedClientId {
    /// Parses a `client_id` as sent.
    pub fn parse(text: &str) -> Result<Self, InvalidClientId> {
        match ClientId::parse(text) {
            Ok(id) => Ok(Self::Registered(id)),
            Err(_) if text.contains("://") => Ok(Self::Metadata(MetadataUrl::parse(text)?)),
            Err(_) => Err(InvalidClientId::Malformed),
        }
    }

    /// Returns the id under which the client is stored.
    pub fn id(&self) -> ClientId {
        match self {
            Self::Registered(id) => *id,
            Self::Metadata(url) => url.client_id(),
        }
    }

    /// Returns whether this is the `client_id` of a client. The stored id of a client with a document is not.
    pub fn identifies(&self, client: &Client) -> bool {
        match (self, &client.document) {
            (Self::Registered(id), None) => *id == client.id,
            (Self::Metadata(url), Some(document)) => *url == document.url,
            (Self::Registered(_), Some(_)) | (Self::Metadata(_), None) => false,
        }
    }
}
