//! Makes a new signing key while the server runs (decisions 3).

use super::SigningKeyError;
use crate::ports::storage::UnitOfWorkFactory;
use crate::ports::system::{Clock, Entropy, KeyRing};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Arc;

/// What becomes of the keys that were active before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OlderKeys {
    /// They stay active: tokens that they signed are good until they expire.
    Keep,
    /// All are retired, because one may be in wrong hands: every token of before is refused within 2 s.
    Retire,
}

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKeyRotation {
    /// The new key.
    pub made: KeyId,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// The keys that were retired with it, oldest first.
    pub retired: Vec<KeyId>,
}

/// Makes a new signing key.
pub struct RotateSigningKey {
    units: Arc<dyn UnitOfWorkFactory>,
    ring: Arc<dyn KeyRing>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl RotateSigningKey {
    /// Takes the ports; the ring has to be one of its own, because the keys of before are loaded into it.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        ring: Arc<dyn KeyRing>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { units, ring, entropy, clock }
    }

    /// Stores a new active key and retires the older ones if asked to, both or neither.
    ///
    /// Fails when an active key does not open: the new one would be sealed under an encryption key that the
    /// servers do not have, and none of them could go on.
    pub async fn run(&self, older: OlderKeys) -> Result<SigningKeyRotation, SigningKeyError> {
        let mut unit = self.units.begin().await?;
        let keys = unit.signing_keys().list_for_change().await?;
        self.ring.load(&keys)?;
        let now = self.clock.now();
        let created_at = after_all(&keys, now);
        let key = self.ring.make(KeyId::from_uuid(self.entropy.uuid()), created_at)?;
        unit.signing_keys().insert(&key).await?;
        let mut retired = Vec::new();
        if older == OlderKeys::Retire {
            for id in active(&keys).map(|key| key.id) {
                unit.signing_keys().retire(id, now).await?;
                retired.push(id);
            }
        }
        unit.commit().await?;
        Ok(SigningKeyRotation { made: key.id, created_at, retired })
    }
}

fn active(keys: &[SigningKey]) -> impl Iterator<Item = &SigningKey> {
    keys.iter().filter(|key| key.state == SigningKeyState::Active)
}

/// The youngest key signs, so a new one must be younger than all, even where this machine's clock is behind. Stores
/// keep microseconds.
fn after_all(keys: &[SigningKey], now: DateTime<Utc>) -> DateTime<Utc> {
    active(keys).map(|key| key.created_at + TimeDelta::microseconds(1)).fold(now, DateTime::max)
}
