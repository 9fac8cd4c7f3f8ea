//! Receives an app's authorization request (RFC 6749 section 4.1.1).

use super::{AuthorizationParameters, AuthorizationPorts};
use crate::ports::storage::StorageError;
use domain::authorization_response::AuthorizationResponse;
use domain::id::{AuthorizationRequestId, UserId};
use domain::secret::Secret;
use domain::user::Email;
use std::net::IpAddr;

/// A request, and the browser that brought it.
#[derive(Clone, Copy)]
pub struct BeginAuthorizationCommand<'a> {
    /// What the app sent.
    pub parameters: AuthorizationParameters<'a>,
    /// The cookie of the browser's visit, which it keeps through sign-in.
    pub visit: &'a Secret,
    /// Who has signed in in this browser, if anybody.
    pub signed_in: Option<UserId>,
    /// From where.
    pub address: IpAddr,
}

/// Where the browser goes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BegunAuthorization {
    /// Straight back to the app, with a code or an error.
    Redirect(AuthorizationResponse),
    /// To the sign-in page, also if somebody has signed in (`prompt=login`).
    SignIn {
        /// The stored request.
        request_id: AuthorizationRequestId,
        /// The address that the app expects; for the form's field alone.
        login_hint: Option<Email>,
    },
    /// To the consent page.
    Consent {
        /// The stored request.
        request_id: AuthorizationRequestId,
    },
}

/// Why nobody can be sent anywhere: told on a page, never by a redirect (security.md T22).
#[derive(Debug, thiserror::Error)]
pub enum BeginAuthorizationError {
    /// The client is not named once, unknown, disabled, or one that people do not authorize.
    #[error("the client is unknown or cannot be authorized")]
    UnknownClient,
    /// The redirect URI is not named once, or not registered for this client letter by letter.
    #[error("the redirect URI is missing or not registered")]
    UnknownRedirectUri,
    /// `state` is longer than 2 KiB (security.md T25).
    #[error("state is longer than 2048 bytes")]
    StateTooLong,
    /// Too many requests came from here without anybody signed in.
    #[error("too many authorization requests")]
    TooManyRequests {
        /// After how many seconds the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Receives authorization requests.
pub struct BeginAuthorization {
    ports: AuthorizationPorts,
    issuer: String,
}

impl BeginAuthorization {
    /// Takes the ports and the configured issuer.
    pub fn new(ports: AuthorizationPorts, issuer: String) -> Self {
        Self { ports, issuer }
    }

    /// Checks a request, and answers or stores it.
    pub async fn run(
        &self,
        command: BeginAuthorizationCommand<'_>,
    ) -> Result<BegunAuthorization, BeginAuthorizationError> {
        let _ = (&self.ports, &self.issuer, command);
        Err(BeginAuthorizationError::Storage(StorageError::Unavailable))
    }
}
