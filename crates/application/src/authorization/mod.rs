//! Authorization: an app asks, a user signs in and consents, and the app gets a code (RFC 6749 section 4.1).

mod begin_authorization;
mod code;
mod decide_consent;
mod find_pending_app;
mod metadata_client;
mod open_consent;
mod open_request;
mod parameter;
mod validation;

pub use begin_authorization::*;
pub use decide_consent::*;
pub use find_pending_app::*;
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
    #[error("the app can no longer be authorized")]
    ClientUnavailable,
    /// The app is a draft that has reached its limit of users.
    #[error("the app is not approved and has reached its limit of users")]
    DraftFull,
    /// The account is locked or deleted, or the session ended.
    #[error("the session or its account is no longer active")]
    AccountUnavailable,
    /// A ticked scope is unknown: the form does not come from our page.
    #[error("a selected scope is unknown")]
    UnknownScope,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[cfg(test)]
mod tests;
