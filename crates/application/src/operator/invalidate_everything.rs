//! Invalidates everything that was issued before a moment, after a restore or a theft.

use crate::audit::{self, AuditTrail};
use crate::key::{RotateSigningKey, SigningKeyError, SigningKeyRotation};
use crate::ports::storage::{ProfileReader, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, KeyRing};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// How many things are ended at a time, or of how many people: no statement comes near the store's time limit, and no
/// other writer waits long.
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
    profiles: Arc<dyn ProfileReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    keys: RotateSigningKey,
    trail: AuditTrail,
}

impl InvalidateEverything {
    /// Takes the ports; the ring has to be one of its own, as for [`RotateSigningKey`].
    pub fn new(
        profiles: Arc<dyn ProfileReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        ring: Arc<dyn KeyRing>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        let keys = RotateSigningKey::new(units.clone(), ring, entropy, clock.clone());
        Self { profiles, units, clock, keys, trail }
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
        let keys = self.keys.replace_created_before(before).await?;
        let sessions = self.end_sessions(before).await?;
        let password_links = self.delete_password_links().await?;
        let consents = self.forget_consents().await?;
        let codes = self.discard_codes(before).await?;
        let (grants, personal_tokens) = self.revoke_tokens(before).await?;
        let report =
            InvalidationReport { keys, sessions, password_links, consents, codes, grants, personal_tokens };
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
        let mut deleted = 0;
        loop {
            let mut unit = self.units.begin().await?;
            let batch = unit.password_links().delete_any(BATCH).await?;
            unit.commit().await?;
            deleted += batch;
            if batch < u64::from(BATCH) {
                return Ok(deleted);
            }
        }
    }

    async fn forget_consents(&self) -> Result<u64, StorageError> {
        let mut forgotten = 0;
        loop {
            let mut unit = self.units.begin().await?;
            let batch = unit.consents().forget_any(BATCH).await?;
            unit.commit().await?;
            forgotten += batch;
            if batch < u64::from(BATCH) {
                return Ok(forgotten);
            }
        }
    }

    /// In one statement: codes live for ten minutes at most and are cleaned up each hour.
    async fn discard_codes(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let discarded = unit.codes().discard_unredeemed(None, before).await?;
        unit.commit().await?;
        Ok(discarded)
    }

    /// Revokes grants and personal tokens, and returns how many of each. It goes through the people, some at a time:
    /// what is theirs lies together in the store, and each has a bounded number. Whoever joins meanwhile has nothing
    /// that is older.
    async fn revoke_tokens(&self, before: DateTime<Utc>) -> Result<(u64, u64), StorageError> {
        let (mut grants, mut personal_tokens, mut after) = (0, 0, None);
        while let Some(people) = self.people(after).await? {
            after = Some(*people.end());
            let at = self.clock.now();
            let mut unit = self.units.begin().await?;
            let granted = unit.grants().revoke_created_before(people.clone(), before, at).await?;
            let made = unit.personal_tokens().revoke_created_before(people, before, at).await?;
            let events: Vec<_> = [
                self.counted(AuditKind::GrantRevoked, granted),
                self.counted(AuditKind::PersonalTokenRevoked, made),
            ]
            .into_iter()
            .flatten()
            .collect();
            audit::commit(unit, &events).await?;
            grants += granted;
            personal_tokens += made;
        }
        Ok((grants, personal_tokens))
    }

    /// Returns the ids of the next people after this one, from first to last; `None` if there are none.
    async fn people(&self, after: Option<UserId>) -> Result<Option<RangeInclusive<UserId>>, StorageError> {
        let people = self.profiles.list_profiles(after, BATCH).await?;
        Ok(people.first().zip(people.last()).map(|(first, last)| first.id..=last.id))
    }

    fn event(&self, kind: AuditKind) -> AuditEvent {
        self.trail.event(AuditActor::Operator, kind)
    }

    /// Begins an event about so many things; none about none.
    fn counted(&self, kind: AuditKind, count: u64) -> Option<AuditEvent> {
        (count > 0).then(|| self.event(kind).count(count))
    }
}
