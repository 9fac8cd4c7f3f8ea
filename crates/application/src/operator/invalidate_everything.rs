//! Invalidates everything issued before a given time, after a restore or a theft.

use crate::audit::{self, AuditTrail};
use crate::batches::{BATCH, in_batches};
use crate::key::{RotateSigningKey, SigningKeyError, SigningKeyRotation};
use crate::ports::storage::{ProfileReader, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, KeyRing};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Numbers of credentials invalidated by a call; those of earlier calls are not counted again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidationReport {
    /// The new signing key and the replaced ones; `None` if all keys are recent enough.
    pub keys: Option<SigningKeyRotation>,
    /// Browser sessions.
    pub sessions: u64,
    /// Password links, whenever they were issued.
    pub password_links: u64,
    /// Remembered consents, whenever they were given.
    pub consents: u64,
    /// Unredeemed codes.
    pub codes: u64,
    /// Live grants with their refresh tokens.
    pub grants: u64,
    /// Live personal access tokens.
    pub personal_tokens: u64,
}

impl InvalidationReport {
    /// Returns the total number.
    pub fn total(&self) -> u64 {
        let Self { keys, sessions, password_links, consents, codes, grants, personal_tokens } = self;
        let keys = keys.as_ref().map_or(0, |keys| keys.retired.len());
        let keys = u64::try_from(keys).unwrap_or(u64::MAX);
        keys + sessions + password_links + consents + codes + grants + personal_tokens
    }
}

/// Errors of [`InvalidateEverything`]. Work done before the error persists; the command may be repeated.
#[derive(Debug, thiserror::Error)]
pub enum InvalidateEverythingError {
    /// The time lies in the future: credentials issued until then would be missed.
    #[error("the time is in the future; specify one in the past")]
    InTheFuture,
    /// No new signing key could be created; nothing was done.
    #[error("no signing key was created, and nothing was invalidated: {0}")]
    Keys(#[from] SigningKeyError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Invalidates everything issued before a given time.
pub struct InvalidateEverything {
    profiles: Arc<dyn ProfileReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    keys: RotateSigningKey,
    trail: AuditTrail,
}

impl InvalidateEverything {
    /// Creates the use case; it needs a separate key ring, as [`RotateSigningKey`] does.
    pub fn new(
        profiles: Arc<dyn ProfileReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        ring: Arc<dyn KeyRing>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        let keys = RotateSigningKey::new(units.clone(), ring, entropy, clock);
        Self { profiles, units, keys, trail }
    }

    /// Invalidates signing keys, sessions, links, consents, codes, grants and personal tokens, in this order
    /// and in separate units of work. Running servers reject all of them within two seconds.
    ///
    /// Keys come first, because this ends all access and service tokens at once, and can fail for reasons
    /// other than the store. Sessions precede codes, and codes precede grants, so that nothing old can create
    /// something new. After a partial failure, another call with the same time does the rest.
    pub async fn run(&self, before: DateTime<Utc>) -> Result<InvalidationReport, InvalidateEverythingError> {
        if before > self.trail.now() {
            return Err(InvalidateEverythingError::InTheFuture);
        }
        let keys = self.keys.replace_created_before(before).await?;
        self.delete_pending_sign_ins().await?;
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
        in_batches(async || {
            let mut unit = self.units.begin().await?;
            // A session last seen before this time was also created before it, so one time serves for both.
            let ended = unit.sessions().delete_ended(before, before, BATCH).await?;
            audit::commit(unit, self.counted(AuditKind::SignedOut, ended).as_slice()).await?;
            Ok(ended)
        })
        .await
    }

    /// Deletes pending sign-ins in one statement: they live for minutes.
    async fn delete_pending_sign_ins(&self) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        unit.pending_sign_ins().delete_expired(self.trail.now() + TimeDelta::days(1), u32::MAX).await?;
        unit.commit().await
    }

    async fn delete_password_links(&self) -> Result<u64, StorageError> {
        in_batches(async || {
            let mut unit = self.units.begin().await?;
            let deleted = unit.password_links().delete_any(BATCH).await?;
            unit.commit().await?;
            Ok(deleted)
        })
        .await
    }

    async fn forget_consents(&self) -> Result<u64, StorageError> {
        in_batches(async || {
            let mut unit = self.units.begin().await?;
            let forgotten = unit.consents().forget_any(BATCH).await?;
            unit.commit().await?;
            Ok(forgotten)
        })
        .await
    }

    /// Discards codes in one statement: they live for ten minutes at most and are cleaned up every hour.
    async fn discard_codes(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let discarded = unit.codes().discard_unredeemed(None, before).await?;
        unit.commit().await?;
        Ok(discarded)
    }

    /// Revokes grants and personal tokens, and returns their numbers. Iterates over users in batches, because
    /// a user's rows are adjacent and their number is bounded. Users created in the meantime have nothing
    /// older.
    async fn revoke_tokens(&self, before: DateTime<Utc>) -> Result<(u64, u64), StorageError> {
        let (mut grants, mut personal_tokens, mut after) = (0, 0, None);
        while let Some(people) = self.people(after).await? {
            after = Some(*people.end());
            let at = self.trail.now();
            let mut unit = self.units.begin().await?;
            let granted = unit.grants().revoke_created_before(people.clone(), before, at).await?;
            let revoked = unit.personal_tokens().revoke_created_before(people, before, at).await?;
            let events: Vec<_> = [
                self.counted(AuditKind::GrantRevoked, granted),
                self.counted(AuditKind::PersonalTokenRevoked, revoked),
            ]
            .into_iter()
            .flatten()
            .collect();
            audit::commit(unit, &events).await?;
            grants += granted;
            personal_tokens += revoked;
        }
        Ok((grants, personal_tokens))
    }

    /// Returns the id range of the next batch of users; `None` if there are none.
    async fn people(&self, after: Option<UserId>) -> Result<Option<RangeInclusive<UserId>>, StorageError> {
        let people = self.profiles.list_profiles(after, BATCH).await?;
        Ok(people.first().zip(people.last()).map(|(first, last)| first.id..=last.id))
    }

    fn event(&self, kind: AuditKind) -> AuditEvent {
        self.trail.event(AuditActor::Operator, kind)
    }

    /// Creates an event with this count; `None` if it is zero.
    fn counted(&self, kind: AuditKind, count: u64) -> Option<AuditEvent> {
        (count > 0).then(|| self.event(kind).count(count))
    }
}
