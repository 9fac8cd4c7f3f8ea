//! Issues a new client secret with an optional overlap (decisions 3).

use super::ClientError;
use super::create_client::new_client_secret;
use crate::audit;
use crate::ports::storage::UnitOfWork;
use crate::ports::system::Entropy;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, MAX_LIVE_SECRETS};
use domain::id::{ClientId, ClientSecretId};
use domain::secret::Secret;

crate::audit::use_case! {
    /// Rotates client secrets.
    RotateClientSecret
}

impl RotateClientSecret {
    /// Returns a new secret. The newest of the previous ones stays live for `overlap`, or until the next
    /// rotation if `None`. Older ones end now, so at most two are live.
    pub async fn run(&self, id: ClientId, overlap: Option<TimeDelta>) -> Result<Secret, ClientError> {
        let mut unit = self.units.begin().await?;
        let client = unit.clients().find(id).await?.ok_or(ClientError::NotFound)?;
        let source = (self.trail.entropy.as_ref(), self.trail.now());
        let (secret, stored) = add_secret(&mut *unit, &client, overlap, source).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::ClientSecretRotated);
        audit::commit(unit, &[event.client(id).subject(stored.as_uuid())]).await?;
        Ok(secret)
    }
}

/// Stores a new secret of a locked client, and returns it with its id. Ends the previous ones as
/// [`RotateClientSecret::run`] describes. `source` is the source of the secret, and the time.
pub(crate) async fn add_secret(
    unit: &mut dyn UnitOfWork,
    client: &Client,
    overlap: Option<TimeDelta>,
    (entropy, now): (&dyn Entropy, DateTime<Utc>),
) -> Result<(Secret, ClientSecretId), ClientError> {
    if client.kind.is_public() {
        return Err(ClientError::NoSecret);
    }
    let mut live = unit.clients().list_secrets(client.id).await?;
    live.retain(|secret| secret.is_live(now));
    // Newest first: one less than the limit may stay live besides the new one.
    live.sort_by_key(|secret| std::cmp::Reverse((secret.created_at, secret.id)));
    for (age, secret) in live.iter().enumerate() {
        let goes_on = age + 1 < MAX_LIVE_SECRETS;
        let ends_at =
            if goes_on { overlap.and_then(|overlap| now.checked_add_signed(overlap)) } else { Some(now) };
        if let Some(at) = ends_at {
            let at = secret.expires_at.map_or(at, |earlier| earlier.min(at));
            unit.clients().expire_secret(client.id, secret.id, at).await?;
        }
    }
    let (secret, stored) = new_client_secret(entropy, now);
    unit.clients().insert_secret(client.id, &stored).await?;
    Ok((secret, stored.id))
}
