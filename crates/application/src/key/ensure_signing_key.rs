//! Creates the first signing key (decisions 3).

use super::SigningKeyError;
use crate::audit;
use crate::ports::storage::SigningKeyReader;
use crate::ports::system::KeyRing;
use domain::audit::{AuditActor, AuditKind};
use domain::id::KeyId;
use domain::signing_key::SigningKeyState;
use std::sync::Arc;

audit::use_case! {
    /// Ensures that there is an active signing key.
    EnsureSigningKey { reader: Arc<dyn SigningKeyReader>, ring: Arc<dyn KeyRing> }
}

impl EnsureSigningKey {
    /// Returns whether this call created a key. Only one of several concurrent processes does; the others use
    /// its key.
    pub async fn run(&self) -> Result<bool, SigningKeyError> {
        let keys = self.reader.list_signing_keys().await?;
        if keys.iter().any(|key| key.state == SigningKeyState::Active) {
            return Ok(false);
        }
        let key = self.ring.create_key(KeyId::from_uuid(self.trail.entropy.uuid()), self.trail.now())?;
        let mut unit = self.units.begin().await?;
        let is_first = unit.signing_keys().insert_first(&key).await?;
        let event = self.trail.event(AuditActor::Server, AuditKind::KeyCreated).subject(key.id.as_uuid());
        Ok(audit::commit_if(is_first, unit, event).await?)
    }
}
