//! Authorization: an app asks, a person signs in and chooses, and the app gets a code (RFC 6749 section 4.1).

mod begin_authorization;
mod code;
mod decide_consent;
mod describe_request;
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
use crate::ports::system::{Clock, Entropy};
use std::sync::Arc;

/// The ports that authorization stands on.
#[derive(Clone)]
pub struct AuthorizationPorts {
    /// Knows clients.
    pub clients: Arc<dyn ClientReader>,
    /// Knows what apps hold already.
    pub apps: Arc<dyn ConnectedAppReader>,
    /// Counts requests of browsers in which nobody has signed in.
    pub failures: Arc<dyn FailureCounter>,
    /// Keeps requests, consents and codes.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Why a person cannot decide a request: each is told on a page, never to the app.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    /// There is no such request, its half hour is over, or it is decided.
    #[error("this request is no longer open")]
    Gone,
    /// It came with another browser, or another person signed in for it (security.md T29).
    #[error("this request belongs to another browser or person")]
    NotYours,
    /// Meanwhile the app was disabled, lost the redirect URI, or may ask for nothing of this any more.
    #[error("the app cannot be authorized any more")]
    ClientUnavailable,
    /// The person's account is locked or gone, or their session ended meanwhile.
    #[error("nobody can act in this session")]
    AccountUnavailable,
    /// A ticked scope is none that there is: no form of ours was sent.
    #[error("a ticked scope is unknown")]
    UnknownScope,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[cfg(test)]
mod tests;
