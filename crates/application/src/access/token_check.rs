//! Checks an access token, wherever one is presented.

use crate::ports::storage::StorageError;
use crate::ports::system::{TokenVerifier, UnknownKeyReload};
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use std::sync::Arc;

/// Checks access tokens, those of a key that another replica has just made included.
#[derive(Clone)]
pub struct TokenCheck {
    verifier: Arc<dyn TokenVerifier>,
    unknown_keys: Arc<dyn UnknownKeyReload>,
}

impl TokenCheck {
    /// Creates the use case.
    pub fn new(verifier: Arc<dyn TokenVerifier>, unknown_keys: Arc<dyn UnknownKeyReload>) -> Self {
        Self { verifier, unknown_keys }
    }

    /// Returns what a token says, or nothing when it is not valid at this moment. Only a refused token costs more
    /// than its signature. Fails when the store does not tell which keys there are.
    pub async fn run(&self, token: &str, now: DateTime<Utc>) -> Result<Option<AccessClaims>, StorageError> {
        if let Ok(claims) = self.verifier.verify(token, now) {
            return Ok(Some(claims));
        }
        if self.unknown_keys.reload_for(token, now).await? {
            return Ok(self.verifier.verify(token, now).ok());
        }
        Ok(None)
    }
}
