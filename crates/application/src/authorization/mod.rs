//! Authorization: an app asks, a user signs in and consents, and the app gets a code (RFC 6749 section 4.1).

mod begin_authorization;
mod code;
mod decide_consent;
mod describe_request;
mod metadata_client;
mod open_consent;
mod open_request;
mod parameter;
mod validation;

pub use begin_authorization::*;
pub use decide_consent::*;
pub use describe_request::*;
pub use open_consent::*;
pub use parameter::*;

use crate::ports::storage::{
    ClientReader, ConnectedAppReader, FailureCounter, StorageError, UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy, MetadataSource};
use domain::client::MetadataPolicy;
use std::sync::Arc;

/// Ports of the authorization use cases.
#[derive(Clone)]
pub struct AuthorizationPorts {
    /// Reader of clients.
    pub clients: Arc<dyn ClientReader>,
    /// Reader of the scopes that apps already hold.
    pub apps: Arc<dyn ConnectedAppReader>,
    /// Counters of requests without a signed-in user.
    pub failures: Arc<dyn FailureCounter>,
    /// Units of work that store requests, consents and codes.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Reader of metadata documents.
    pub metadata: Arc<dyn MetadataSource>,
    /// Which metadata documents are accepted.
    pub metadata_policy: Arc<MetadataPolicy>,
}

/// Why a user cannot decide a request. Each is shown on a page, never sent to the app.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    /// The request is unknown, expired (after half an hour) or already decided.
    #[error("this request is no longer open")]
    Gone,
    /// The request belongs to another browser or another user (security.md T29).
    #[error("this request belongs to another browser or person")]
    NotYours,
    /// Since the request the client was disabled, or lost the redirect URI or all requested scopes.
    #[error("the app cannot be authorized any more")]
    ClientUnavailable,
    /// The app is a draft, and has as many users as a draft may have.
    #[error("the app has not been approved, and admits nobody else")]
    DraftFull,
    /// The account is locked or deleted, or the session ended.
    #[error("nobody can act in this session")]
    AccountUnavailable,
    /// A ticked scope is unknown: the form is not ours.
    #[error("a ticked scope is unknown")]
    UnknownScope,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[cfg(test)]
mod tests;
