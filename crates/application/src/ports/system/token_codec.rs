//! Access tokens as text: signed and checked (RFC 9068, RFC 8725).

use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::error::Error;

/// Says that no token could be signed: there is no active key, or the library refused.
#[derive(Debug, thiserror::Error)]
#[error("no access token could be signed")]
pub struct SigningFailed(#[source] pub Option<Box<dyn Error + Send + Sync>>);

/// Says that a text is no access token that counts at this moment. The reason stays inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid access token")]
pub struct InvalidToken;

/// Signs access tokens with the youngest active key.
#[cfg_attr(feature = "test-support", automock)]
pub trait TokenSigner: Send + Sync {
    /// Returns the token's text: a JWT with every claim of decisions 3.
    fn sign(&self, claims: &AccessClaims) -> Result<String, SigningFailed>;
}

/// Checks access tokens.
#[cfg_attr(feature = "test-support", automock)]
pub trait TokenVerifier: Send + Sync {
    /// Returns what a token says, if its signature, form and times hold at `now`.
    ///
    /// MUST refuse a text above 4 KiB before any signature work, every algorithm but that of the key, an
    /// unknown or retired `kid`, a missing claim, and times that are off by more than 5 seconds.
    fn verify(&self, token: &str, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken>;
}
