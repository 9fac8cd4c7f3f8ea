//! Creates, rotates and retires secrets of clients (decisions 3).

use super::{AppDeveloper, AppError, ClientError, Clients, lock_app};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::Entropy;
use crate::store::{Store, transact};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{ClientSecret, MAX_LIVE_SECRETS};
use domain::id::{ClientId, ClientSecretId};
use domain::secret::{Secret, SecretKind};

impl Clients {
    /// Returns a new secret. The newest of the previous ones stays live for `overlap`, or until the next
    /// rotation if `None`. Older ones end now, so at most two are live.
    pub async fn rotate_secret(
        &self,
        id: ClientId,
        overlap: Option<TimeDelta>,
    ) -> Result<Secret, ClientError> {
        rotate_secret(&self.store, id, overlap).await
    }

    /// Returns a new secret; the sign-in must be fresh. The newest of the previous secrets stays live until
    /// it is retired or the next rotation. `newest` is the newest live secret that the person saw: a form
    /// that is sent again creates nothing.
    pub async fn rotate_app_secret(
        &self,
        developer: AppDeveloper<'_>,
        newest: Option<ClientSecretId>,
    ) -> Result<Secret, AppError> {
        self.check_fresh(developer.person)?;
        let now = self.store.now();
        transact!(self.store, |tx| {
            let client = lock_app(tx, developer).await?;
            let live = live_secrets(tx, client.id, now).await?;
            if live.last().map(|secret| secret.id) != newest {
                return Err(AppError::SecretChanged);
            }
            if client.kind.is_public() {
                return Err(AppError::NoSecret);
            }
            let (secret, stored) = add_secret(tx, client.id, None, (self.store.entropy(), now)).await?;
            let event = developer.event(&self.store, AuditKind::ClientSecretRotated);
            tx.record(event.subject(stored.as_uuid())).await?;
            Ok(secret)
        })
        .await
    }

    /// Ends a live secret of an app that has another one.
    pub async fn retire_app_secret(
        &self,
        developer: AppDeveloper<'_>,
        secret: ClientSecretId,
    ) -> Result<(), AppError> {
        let now = self.store.now();
        transact!(self.store, |tx| {
            lock_app(tx, developer).await?;
            let live = live_secrets(tx, developer.app, now).await?;
            if live.len() < 2 || live.iter().all(|one| one.id != secret) {
                return Err(AppError::LastSecret);
            }
            tx.clients().expire_secret(developer.app, secret, now).await?;
            let event = developer.event(&self.store, AuditKind::ClientSecretRetired);
            Ok(tx.record(event.subject(secret.as_uuid())).await?)
        })
        .await
    }
}

/// Rotates a secret as [`Clients::rotate_secret`] describes.
pub(crate) async fn rotate_secret(
    store: &Store,
    id: ClientId,
    overlap: Option<TimeDelta>,
) -> Result<Secret, ClientError> {
    transact!(store, |tx| {
        let client = tx.clients().find(id).await?.ok_or(ClientError::NotFound)?;
        if client.kind.is_public() {
            return Err(ClientError::NoSecret);
        }
        let (secret, stored) = add_secret(tx, id, overlap, (store.entropy(), store.now())).await?;
        let event = store.event(AuditActor::Operator, AuditKind::ClientSecretRotated);
        tx.record(event.client(id).subject(stored.as_uuid())).await?;
        Ok(secret)
    })
    .await
}

/// Stores a new secret of a locked client, and returns it with its id. Ends the previous ones as
/// [`Clients::rotate_secret`] describes. The last argument is the source of the secret, and the time.
async fn add_secret(
    tx: &mut dyn UnitOfWork,
    id: ClientId,
    overlap: Option<TimeDelta>,
    (entropy, now): (&dyn Entropy, DateTime<Utc>),
) -> Result<(Secret, ClientSecretId), StorageError> {
    let mut live = live_secrets(tx, id, now).await?;
    // Newest first: one less than the limit may stay live besides the new one.
    live.sort_by_key(|secret| std::cmp::Reverse((secret.created_at, secret.id)));
    for (age, secret) in live.iter().enumerate() {
        let goes_on = age + 1 < MAX_LIVE_SECRETS;
        let ends_at =
            if goes_on { overlap.and_then(|overlap| now.checked_add_signed(overlap)) } else { Some(now) };
        if let Some(at) = ends_at {
            let at = secret.expires_at.map_or(at, |earlier| earlier.min(at));
            tx.clients().expire_secret(id, secret.id, at).await?;
        }
    }
    let (secret, stored) = new_client_secret(entropy, now);
    tx.clients().insert_secret(id, &stored).await?;
    Ok((secret, stored.id))
}

async fn live_secrets(
    tx: &mut dyn UnitOfWork,
    id: ClientId,
    now: DateTime<Utc>,
) -> Result<Vec<ClientSecret>, StorageError> {
    let mut secrets = tx.clients().list_secrets(id).await?;
    secrets.retain(|secret| secret.is_live(now));
    Ok(secrets)
}

/// Creates a secret, and its stored form.
pub(crate) fn new_client_secret(entropy: &dyn Entropy, now: DateTime<Utc>) -> (Secret, ClientSecret) {
    let secret = Secret::from_bytes(SecretKind::ClientSecret, &entropy.secret_bytes());
    let stored = ClientSecret {
        id: ClientSecretId::from_uuid(entropy.uuid()),
        hash: secret.hash(),
        created_at: now,
        expires_at: None,
    };
    (secret, stored)
}
