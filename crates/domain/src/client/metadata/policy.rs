//! Which metadata documents a server accepts.

use super::{MetadataError, MetadataUrl};
use crate::client::Client;

/// Hosts whose metadata documents are accepted. Hosts are as in [`MetadataUrl::host`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MetadataPolicy {
    /// None.
    #[default]
    Off,
    /// Those that the operator listed.
    Listed(Vec<String>),
    /// All. Apps of hosts that the operator did not list are shown as not reviewed.
    Any(Vec<String>),
}

impl MetadataPolicy {
    /// Checks whether documents at this URL are accepted.
    pub fn check(&self, url: &MetadataUrl) -> Result<(), MetadataError> {
        match self {
            Self::Off => Err(MetadataError::Off),
            Self::Listed(_) if !self.lists(url) => Err(MetadataError::HostNotListed),
            Self::Listed(_) | Self::Any(_) => Ok(()),
        }
    }

    /// Returns whether a client may be used: one without a document, or one whose host is accepted.
    pub fn admits(&self, client: &Client) -> bool {
        client.document.as_ref().is_none_or(|document| self.check(&document.url).is_ok())
    }

    /// Returns whether the operator has reviewed a client: approved it, or listed the host of its document.
    pub fn is_reviewed(&self, client: &Client) -> bool {
        let document = client.document.as_ref();
        !client.review.is_draft() && document.is_none_or(|document| self.lists(&document.url))
    }

    /// Returns whether any document is accepted.
    pub const fn accepts_some(&self) -> bool {
        match self {
            Self::Off => false,
            Self::Listed(hosts) => !hosts.is_empty(),
            Self::Any(_) => true,
        }
    }

    fn lists(&self, url: &MetadataUrl) -> bool {
        match self {
            Self::Off => false,
            Self::Listed(hosts) | Self::Any(hosts) => hosts.iter().any(|host| host == url.host()),
        }
    }
}
