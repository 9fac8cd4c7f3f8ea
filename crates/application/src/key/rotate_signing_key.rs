//! Rotates the signing key while the server runs (decisions 3).

use super::SigningKeyError;
use crate::audit;
use crate::ports::storage::UnitOfWork;
use crate::ports::system::KeyRing;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Arc;

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

audit::use_case! {
    /// Rotates signing keys. It needs a separate key ring, because it loads the existing keys into it.
    RotateSigningKey { ring: Arc<dyn KeyRing> }
}

impl RotateSigningKey {
    /// Stores a new active key, and retires the older ones if requested, in one transaction.
    ///
    /// Fails if an active key cannot be decrypted: the new one would be encrypted with a key that the servers
    /// do not have, and none of them could load it.
    pub async fn run(&self, older: OlderKeys) -> Result<SigningKeyRotation, SigningKeyError> {
        let mut unit = self.units.begin().await?;
        let keys = unit.signing_keys().list_for_update().await?;
        self.rotate(unit, &keys, |_| older == OlderKeys::Retire).await
    }

    /// Rotates only if active keys were created before this time, and replaces those. A repeated call
    /// therefore creates no second key.
    pub(crate) async fn replace_created_before(
        &self,
        before: DateTime<Utc>,
    ) -> Result<Option<SigningKeyRotation>, SigningKeyError> {
        let mut unit = self.units.begin().await?;
        let keys = unit.signing_keys().list_for_update().await?;
        if !active(&keys).any(|key| key.created_at < before) {
            unit.rollback().await?;
            return Ok(None);
        }
        self.rotate(unit, &keys, |key| key.created_at < before).await.map(Some)
    }

    async fn rotate(
        &self,
        mut unit: Box<dyn UnitOfWork>,
        keys: &[SigningKey],
        is_to_retire: impl Fn(&SigningKey) -> bool + Send,
    ) -> Result<SigningKeyRotation, SigningKeyError> {
        self.ring.load(keys)?;
        let now = self.trail.now();
        let created_at = after_all(keys, now);
        let key = self.ring.create_key(KeyId::from_uuid(self.trail.entropy.uuid()), created_at)?;
        unit.signing_keys().insert(&key).await?;
        let retired: Vec<_> = active(keys).filter(|key| is_to_retire(key)).map(|key| key.id).collect();
        for id in &retired {
            unit.signing_keys().retire(*id, now).await?;
        }
        let event = |kind, id: &KeyId| self.trail.event(AuditActor::Operator, kind).subject(id.as_uuid());
        let mut events = vec![event(AuditKind::KeyCreated, &key.id)];
        events.extend(retired.iter().map(|id| event(AuditKind::KeyRetired, id)));
        audit::commit(unit, &events).await?;
        Ok(SigningKeyRotation { created: key.id, created_at, retired })
    }
}

fn active(keys: &[SigningKey]) -> impl Iterator<Item = &SigningKey> {
    keys.iter().filter(|key| key.state == SigningKeyState::Active)
}

/// Returns a creation time after all existing keys, because the newest key signs, even if this machine's
/// clock is slow. Stores keep microseconds.
fn after_all(keys: &[SigningKey], now: DateTime<Utc>) -> DateTime<Utc> {
    active(keys).map(|key| key.created_at + TimeDelta::microseconds(1)).fold(now, DateTime::max)
}
