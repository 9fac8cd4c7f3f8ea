//! Retires a signing key.

use crate::audit;
use crate::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::KeyId;
use domain::signing_key::SigningKeyState;

/// Why a signing key was not retired.
#[derive(Debug, thiserror::Error)]
pub enum RetireSigningKeyError {
    /// No key has this id.
    #[error("there is no signing key {0}")]
    Unknown(KeyId),
    /// The only active key: without it no tokens could be signed, and no server would be ready.
    #[error("signing key {0} is the only active one")]
    LastActive(KeyId),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Retires a signing key.
    RetireSigningKey
}

impl RetireSigningKey {
    /// Retires a key and returns the time of retirement; its tokens are rejected within 2 s on every replica.
    /// A retired key stays unchanged.
    pub async fn run(&self, id: KeyId) -> Result<DateTime<Utc>, RetireSigningKeyError> {
        let mut unit = self.units.begin().await?;
        let keys = unit.signing_keys().list_for_update().await?;
        let key = keys.iter().find(|key| key.id == id).ok_or(RetireSigningKeyError::Unknown(id))?;
        if let SigningKeyState::Retired { at } = key.state {
            return Ok(at);
        }
        if !keys.iter().any(|other| other.id != id && other.state == SigningKeyState::Active) {
            return Err(RetireSigningKeyError::LastActive(id));
        }
        let at = self.trail.now();
        unit.signing_keys().retire(id, at).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::KeyRetired).subject(id.as_uuid());
        audit::commit(unit, &[event]).await?;
        Ok(at)
    }
}
