//! Signing keys: creation, loading other replicas' keys, rotation (decisions 3).

#[cfg(test)]
mod tests;

use crate::ports::storage::{SigningKeyReader, StorageError, UnitOfWork};
use crate::ports::system::{KeyRing, KeyRingError};
use crate::store::{Store, transact};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Arc;

/// The signing keys in the store.
#[derive(Clone)]
pub struct SigningKeys {
    /// The store.
    pub store: Store,
    /// Reader of keys.
    pub reader: Arc<dyn SigningKeyReader>,
}

/// Use of a signing key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningKeyUse {
    /// Signs new tokens: the newest active key.
    Signs,
    /// Only verifies: its tokens are valid until they expire; new ones are signed with a newer key.
    Verifies,
    /// Retired: its tokens are rejected.
    Retired {
        /// Time of retirement.
        at: DateTime<Utc>,
    },
}

/// One signing key, without any key material.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningKeyEntry {
    /// The `kid` in token headers.
    pub id: KeyId,
    /// Creation time.
    pub created_at: DateTime<Utc>,
    /// Use of the key.
    pub usage: SigningKeyUse,
}

/// Treatment of the previously active keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OlderKeys {
    /// They stay active: their tokens are valid until they expire.
    Keep,
    /// All are retired, because one may be compromised: earlier tokens are rejected within 2 s.
    Retire,
}

/// Result of a rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKeyRotation {
    /// The new key.
    pub created: KeyId,
    /// Its creation time.
    pub created_at: DateTime<Utc>,
    /// Retired keys, oldest first.
    pub retired: Vec<KeyId>,
}

/// Errors of signing key operations.
#[derive(Debug, thiserror::Error)]
pub enum SigningKeyError {
    /// A key cannot be created or decrypted.
    #[error(transparent)]
    KeyRing(#[from] KeyRingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

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

impl SigningKeys {
    /// Returns all keys, active and retired, oldest first, ties by id.
    pub async fn list(&self) -> Result<Vec<SigningKeyEntry>, StorageError> {
        let keys = self.reader.list_signing_keys().await?;
        let signs = active(&keys).max_by_key(|key| (key.created_at, key.id)).map(|key| key.id);
        let entry = |key: &SigningKey| SigningKeyEntry {
            id: key.id,
            created_at: key.created_at,
            usage: match key.state {
                SigningKeyState::Retired { at } => SigningKeyUse::Retired { at },
                SigningKeyState::Active if signs == Some(key.id) => SigningKeyUse::Signs,
                SigningKeyState::Active => SigningKeyUse::Verifies,
            },
        };
        Ok(keys.iter().map(entry).collect())
    }

    /// Ensures that there is an active key, and returns whether this call created it. Only one of several
    /// concurrent processes does; the others use its key.
    pub async fn ensure(&self, ring: &dyn KeyRing) -> Result<bool, SigningKeyError> {
        if active(&self.reader.list_signing_keys().await?).next().is_some() {
            return Ok(false);
        }
        let key = ring.create_key(self.new_id(), self.store.now())?;
        transact!(self.store, |tx| {
            let is_first = tx.signing_keys().insert_first(&key).await?;
            if is_first {
                tx.record(self.event(AuditActor::Server, AuditKind::KeyCreated, key.id)).await?;
            }
            Ok(is_first)
        })
        .await
    }

    /// Stores a new active key, and retires the older ones if requested, in one transaction. The key ring
    /// must be a separate one, because the existing keys are loaded into it.
    ///
    /// Fails if an active key cannot be decrypted: the new one would be encrypted with a key that the servers
    /// do not have, and none of them could load it.
    pub async fn rotate(
        &self,
        ring: &dyn KeyRing,
        older: OlderKeys,
    ) -> Result<SigningKeyRotation, SigningKeyError> {
        transact!(self.store, |tx| {
            let keys = tx.signing_keys().list_for_update().await?;
            let retired = active(&keys).filter(|_| older == OlderKeys::Retire).map(|key| key.id).collect();
            self.add(tx, ring, &keys, retired).await
        })
        .await
    }

    /// Rotates only if active keys were created before this time, and replaces those. A repeated call
    /// therefore creates no second key.
    pub(crate) async fn replace_created_before(
        &self,
        ring: &dyn KeyRing,
        before: DateTime<Utc>,
    ) -> Result<Option<SigningKeyRotation>, SigningKeyError> {
        transact!(self.store, |tx| {
            let keys = tx.signing_keys().list_for_update().await?;
            let old: Vec<_> = active(&keys).filter(|key| key.created_at < before).map(|key| key.id).collect();
            if old.is_empty() {
                return Ok(None);
            }
            self.add(tx, ring, &keys, old).await.map(Some)
        })
        .await
    }

    /// Adds a key to these, and retires some of them.
    async fn add(
        &self,
        tx: &mut dyn UnitOfWork,
        ring: &dyn KeyRing,
        keys: &[SigningKey],
        retired: Vec<KeyId>,
    ) -> Result<SigningKeyRotation, SigningKeyError> {
        ring.load(keys)?;
        let now = self.store.now();
        let created_at = after_all(keys, now);
        let key = ring.create_key(self.new_id(), created_at)?;
        tx.signing_keys().insert(&key).await?;
        tx.record(self.event(AuditActor::Operator, AuditKind::KeyCreated, key.id)).await?;
        for id in &retired {
            tx.signing_keys().retire(*id, now).await?;
            tx.record(self.event(AuditActor::Operator, AuditKind::KeyRetired, *id)).await?;
        }
        Ok(SigningKeyRotation { created: key.id, created_at, retired })
    }

    /// Retires a key and returns the time of retirement; its tokens are rejected within 2 s on every replica.
    /// A retired key stays unchanged.
    pub async fn retire(&self, id: KeyId) -> Result<DateTime<Utc>, RetireSigningKeyError> {
        transact!(self.store, |tx| {
            let keys = tx.signing_keys().list_for_update().await?;
            let key = keys.iter().find(|key| key.id == id).ok_or(RetireSigningKeyError::Unknown(id))?;
            if let SigningKeyState::Retired { at } = key.state {
                return Ok(at);
            }
            if active(&keys).all(|other| other.id == id) {
                return Err(RetireSigningKeyError::LastActive(id));
            }
            let at = self.store.now();
            tx.signing_keys().retire(id, at).await?;
            tx.record(self.event(AuditActor::Operator, AuditKind::KeyRetired, id)).await?;
            Ok(at)
        })
        .await
    }

    fn new_id(&self) -> KeyId {
        KeyId::from_uuid(self.store.entropy().uuid())
    }

    fn event(&self, actor: AuditActor, kind: AuditKind, id: KeyId) -> AuditEvent {
        self.store.event(actor, kind).subject(id.as_uuid())
    }
}

/// Loads the keys of the store into a key ring, so that no replica needs a restart; call it about every
/// second. Returns whether they differ from those loaded before; unchanged keys are not decrypted again.
pub async fn reload_signing_keys(
    reader: &dyn SigningKeyReader,
    ring: &dyn KeyRing,
    loaded: &mut Vec<SigningKey>,
) -> Result<bool, SigningKeyError> {
    let keys = reader.list_signing_keys().await?;
    if *loaded == keys {
        return Ok(false);
    }
    ring.load(&keys)?;
    *loaded = keys;
    Ok(true)
}

fn active(keys: &[SigningKey]) -> impl Iterator<Item = &SigningKey> {
    keys.iter().filter(|key| key.state == SigningKeyState::Active)
}

/// Returns a creation time after all existing keys, because the newest key signs, even if this machine's
/// clock is slow. Stores keep microseconds.
fn after_all(keys: &[SigningKey], now: DateTime<Utc>) -> DateTime<Utc> {
    active(keys).map(|key| key.created_at + TimeDelta::microseconds(1)).fold(now, DateTime::max)
}
