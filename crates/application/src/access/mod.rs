//! Access control of the data and ingest endpoints.

mod authorize_access;
mod authorize_ingest;

pub use authorize_access::{
    AccessPorts, AuthorizeAccess, AuthorizeAccessError, Caller, DailyLimits, GrantedAccess, Permission,
};
pub use authorize_ingest::*;

use crate::ports::storage::StorageError;
use crate::ports::system::{TokenVerifier, UnknownKeyReload};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::access_token::AccessClaims;
use domain::resource::Resource;
use std::sync::Arc;

/// Verifies access tokens, including those signed with another replica's new key.
#[derive(Clone, Constructor)]
pub struct TokenCheck {
    verifier: Arc<dyn TokenVerifier>,
    unknown_keys: Arc<dyn UnknownKeyReload>,
}

impl TokenCheck {
    /// Returns the claims of a token if it is valid now and its audience is this resource. Every endpoint
    /// that accepts access tokens checks them here (RFC 9068 section 4, RFC 8707 section 2).
    pub async fn at(
        &self,
        resource: Resource,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<AccessClaims>, StorageError> {
        Ok(self.run(token, now).await?.filter(|claims| claims.audience == resource))
    }

    /// Returns the claims of a token for any resource, to revoke or describe it; `None` if it is not valid
    /// now. Keys are reloaded only for a rejected token. Fails if the store cannot list the keys.
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

#[cfg(test)]
mod tests;
