//! Issues a new client secret with an optional overlap (decisions 3).

use super::ClientError;
use super::create_client::new_client_secret;
use crate::audit;
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditKind};
use domain::client::MAX_LIVE_SECRETS;
use domain::id::ClientId;
use domain::secret::Secret;

crate::audit::use_case! {
    /// Rotates client secrets.
    RotateClientSecret
}

impl RotateClientSecret {
    /// Returns a new secret. The newest of the previous ones stays live for `overlap`, or until the next
    /// rotation if `None`. Older ones end now, so at most two are live.
    pub async fn run(&self, id: ClientId, overlap: Option<TimeDelta>) -> Result<Secret, ClientError> {
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        unit.clients().find(id).await?.ok_or(ClientError::NotFound)?;
        let mut live = unit.clients().list_secrets(id).await?;
        live.retain(|secret| secret.is_live(now));
        // Newest first: one less than the limit may stay live besides the new one.
        live.sort_by_key(|secret| std::cmp::Reverse((secret.created_at, secret.id)));
        for (age, secret) in live.iter().enumerate() {
            let goes_on = age + 1 < MAX_LIVE_SECRETS;
            let ends_at =
                if goes_on { overlap.and_then(|overlap| now.checked_add_signed(overlap)) } else { Some(now) };
            if let Some(at) = ends_at {
                let at = secret.expires_at.map_or(at, |earlier| earlier.min(at));
                unit.clients().expire_secret(id, secret.id, at).await?;
            }
        }
        let (secret, stored) = new_client_secret(self.trail.entropy.as_ref(), now);
        unit.clients().insert_secret(id, &stored).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::ClientSecretRotated);
        audit::commit(unit, &[event.client(id).subject(stored.id.as_uuid())]).await?;
        Ok(secret)
    }
}
