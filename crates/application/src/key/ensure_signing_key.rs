//! Creates the first signing key (decisions 3).

use super::SigningKeyError;
use crate::audit::{self, AuditTrail};
use crate::ports::storage::{SigningKeyReader, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, KeyRing};
use domain::audit::{AuditActor, AuditKind};
use domain::id::KeyId;
use domain::signing_key::SigningKeyState;
use std::sync::Arc;

/// Ensures that there is an active signing key.
pub struct EnsureSigningKey {
    reader: Arc<dyn SigningKeyReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    ring: Arc<dyn KeyRing>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
}

impl EnsureSigningKey {
    /// Creates the use case.
    pub fn new(
        reader: Arc<dyn SigningKeyReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        ring: Arc<dyn KeyRing>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        Self { reader, units, ring, entropy, clock, trail }
    }

    /// Returns whether this call created a key. Of several concurrent processes one does; the others use its
    /// key.
    pub async fn run(&self) -> Result<bool, SigningKeyError> {
        let keys = self.reader.list_signing_keys().await?;
        if keys.iter().any(|key| key.state == SigningKeyState::Active) {
            return Ok(false);
        }
        let key = self.ring.make(KeyId::from_uuid(self.entropy.uuid()), self.clock.now())?;
        let mut unit = self.units.begin().await?;
        if !unit.signing_keys().insert_first(&key).await? {
            unit.rollback().await?;
            return Ok(false);
        }
        let event = self.trail.event(AuditActor::Server, AuditKind::KeyCreated).subject(key.id.as_uuid());
        audit::commit(unit, &[event]).await?;
        Ok(true)
    }
}
