//! Verifies access tokens.

use crate::ports::storage::StorageError;
use crate::ports::system::{TokenVerifier, UnknownKeyReload};
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use std::sync::Arc;

/// Verifies access tokens, including those signed with another replica's new key.
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

    /// Returns the claims of a token; `None` if it is not valid now. Keys are reloaded only for a rejected
    /// token. Fails if the store cannot list the keys.
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
