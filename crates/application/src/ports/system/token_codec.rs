//! Access tokens as text: signed and checked (RFC 9068, RFC 8725).

use crate::ports::storage::StorageError;
use async_trait::async_trait;
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

/// Fetches the key of a token when another replica signed it with one that this process has not seen yet.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait UnknownKeyReload: Send + Sync {
    /// Tells whether a token that [`TokenVerifier`] refused is worth a second check; asked of refused tokens only.
    ///
    /// MUST answer `false` at once for a text that no key could make a valid token at `now`, and for a retired
    /// `kid`. For an unknown `kid` the answer MUST stand on the keys as the store had them after the call began,
    /// and however many ask, the store MUST be asked at most about once a second on their behalf. Fails when the
    /// store does not tell: the token is neither good nor bad then.
    async fn reload_for(&self, token: &str, now: DateTime<Utc>) -> Result<bool, StorageError>;
}
