//! Invalidates everything that was issued before a moment, after a restore or a theft.

use crate::audit::{self, AuditTrail};
use crate::key::{RotateSigningKey, SigningKeyError, SigningKeyRotation};
use crate::ports::storage::{GrantFilter, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, KeyRing};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::Client;
use domain::grant::RevocationReason;
use domain::id::ClientId;
use std::sync::Arc;

/// How many sessions are ended, or clients listed, at a time, so that no other writer waits long.
const BATCH: u32 = 500;

/// What was invalidated by one call. What an earlier call had done already does not count again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidationReport {
    /// The new signing key and the keys that it replaces; nothing when every key is young enough.
    pub keys: Option<SigningKeyRotation>,
    /// Browsers that were signed in.
    pub sessions: u64,
    /// One-time links to choose a password, whenever they were handed out.
    pub password_links: u64,
    /// Remembered consents, whenever they were given.
    pub consents: u64,
    /// Codes that were not redeemed.
    pub codes: u64,
    /// Live grants, with their refresh tokens.
    pub grants: u64,
    /// Live personal access tokens.
    pub personal_tokens: u64,
}

impl InvalidationReport {
    /// Returns how many things were invalidated in all.
    pub fn total(&self) -> u64 {
        let Self { keys, sessions, password_links, consents, codes, grants, personal_tokens } = self;
        let keys = keys.as_ref().map_or(0, |keys| keys.retired.len());
        let keys = u64::try_from(keys).unwrap_or(u64::MAX);
        keys + sessions + password_links + consents + codes + grants + personal_tokens
    }
}

/// Why not everything was invalidated. What was done before the failure stays done; the command may be repeated.
#[derive(Debug, thiserror::Error)]
pub enum InvalidateEverythingError {
    /// The moment is still to come, and what is issued until then would be missed.
    #[error("the moment lies in the future; name one that has passed")]
    InTheFuture,
    /// No new signing key could be made; nothing was done.
    #[error("the signing keys were left as they are: {0}")]
    Keys(#[from] SigningKeyError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Invalidates everything that was issued before a moment.
pub struct InvalidateEverything {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    keys: RotateSigningKey,
    trail: AuditTrail,
}

impl InvalidateEverything {
    /// Takes the ports; the ring has to be one of its own, as for [`RotateSigningKey`].
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        ring: Arc<dyn KeyRing>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        let keys = RotateSigningKey::new(units.clone(), ring, entropy, clock.clone());
        Self { units, clock, keys, trail }
    }

    /// Invalidates signing keys, sessions, links, consents, codes, grants and personal tokens, in this order, each in
    /// units of work of its own. Running servers refuse all of it within two seconds.
    ///
    /// The keys come first: they end every access token and every service token at once, and they are what can fail
    /// for another reason than the store. Sessions come before codes and codes before grants, so that nothing old is
    /// left that could make something new. After a failure half way, a call with the same moment does the rest.
    pub async fn run(&self, before: DateTime<Utc>) -> Result<InvalidationReport, InvalidateEverythingError> {
        if before > self.clock.now() {
            return Err(InvalidateEverythingError::InTheFuture);
        }
        let report = InvalidationReport {
            keys: self.keys.replace_created_before(before).await?,
            sessions: self.end_sessions(before).await?,
            password_links: self.delete_password_links().await?,
            consents: self.forget_consents().await?,
            codes: self.discard_codes(before).await?,
            grants: self.revoke_grants(before).await?,
            personal_tokens: self.revoke_personal_tokens(before).await?,
        };
        let event = self.event(AuditKind::EverythingInvalidated).count(report.total());
        audit::commit(self.units.begin().await?, &[event]).await?;
        Ok(report)
    }

    async fn end_sessions(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut ended = 0;
        loop {
            let mut unit = self.units.begin().await?;
            // Who was last seen before the moment also signed in before it, so that one moment does for both.
            let batch = unit.sessions().delete_ended(before, before, BATCH).await?;
            audit::commit(unit, self.counted(AuditKind::SignedOut, batch).as_slice()).await?;
            ended += batch;
            if batch < u64::from(BATCH) {
                return Ok(ended);
            }
        }
    }

    async fn delete_password_links(&self) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let deleted = unit.password_links().delete_all().await?;
        unit.commit().await?;
        Ok(deleted)
    }

    async fn forget_consents(&self) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let forgotten = unit.consents().forget(None, None).await?;
        unit.commit().await?;
        Ok(forgotten)
    }

    async fn discard_codes(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let discarded = unit.codes().discard_unredeemed(None, before).await?;
        unit.commit().await?;
        Ok(discarded)
    }

    /// Goes from client to client, so that no transaction holds the grants of all of them.
    async fn revoke_grants(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let (mut revoked, mut after) = (0, None);
        loop {
            let clients = self.clients(after).await?;
            let Some(last) = clients.last() else { return Ok(revoked) };
            after = Some(last.id);
            for client in clients {
                revoked += self.revoke_grants_of(client.id, before).await?;
            }
        }
    }

    async fn clients(&self, after: Option<ClientId>) -> Result<Vec<Client>, StorageError> {
        let mut unit = self.units.begin().await?;
        let clients = unit.clients().list(after, BATCH).await?;
        unit.rollback().await?;
        Ok(clients)
    }

    async fn revoke_grants_of(&self, client: ClientId, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let filter =
            GrantFilter { client_id: Some(client), created_before: Some(before), ..GrantFilter::default() };
        let mut unit = self.units.begin().await?;
        let revoked = unit.grants().revoke(filter, self.clock.now(), RevocationReason::Operator).await?;
        let event = self.counted(AuditKind::GrantRevoked, revoked).map(|event| event.client(client));
        audit::commit(unit, event.as_slice()).await?;
        Ok(revoked)
    }

    async fn revoke_personal_tokens(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let revoked = unit.personal_tokens().revoke_created_before(before, self.clock.now()).await?;
        audit::commit(unit, self.counted(AuditKind::PersonalTokenRevoked, revoked).as_slice()).await?;
        Ok(revoked)
    }

    fn event(&self, kind: AuditKind) -> AuditEvent {
        self.trail.event(AuditActor::Operator, kind)
    }

    /// Begins an event about so many things; none about none.
    fn counted(&self, kind: AuditKind, count: u64) -> Option<AuditEvent> {
        (count > 0).then(|| self.event(kind).count(count))
    }
}
