//! Credentials of people and apps: invalidating everything issued before a given time, after a restore or a
//! theft.

use crate::batches::{BATCH, in_batches};
use crate::key::{SigningKeyError, SigningKeyRotation, SigningKeys};
use crate::ports::storage::{ProfileReader, StorageError, UnitOfWork};
use crate::ports::system::KeyRing;
use crate::store::transact;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Signing keys, and all sessions, links, consents, codes, grants and personal access tokens.
pub struct Credentials {
    /// The signing keys, with the store of all.
    pub keys: SigningKeys,
    /// Reader of users.
    pub profiles: Arc<dyn ProfileReader>,
}

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

/// Errors of [`Credentials::invalidate`]. Work done before the error persists; the call may be repeated.
#[derive(Debug, thiserror::Error)]
pub enum InvalidationError {
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

impl Credentials {
    /// Invalidates signing keys, sessions, links, consents, codes, grants and personal tokens, in this order
    /// and in separate transactions. Running servers reject all of them within two seconds. The key ring must
    /// be a separate one, as for [`SigningKeys::rotate`].
    ///
    /// Keys come first, because this ends all access and service tokens at once, and can fail for reasons
    /// other than the store. Sessions precede codes, and codes precede grants, so that nothing old can create
    /// something new. After a partial failure, another call with the same time does the rest.
    pub async fn invalidate(
        &self,
        ring: &dyn KeyRing,
        before: DateTime<Utc>,
    ) -> Result<InvalidationReport, InvalidationError> {
        let store = &self.keys.store;
        if before > store.now() {
            return Err(InvalidationError::InTheFuture);
        }
        let keys = self.keys.replace_created_before(ring, before).await?;
        // In one statement: pending sign-ins live for minutes.
        let tomorrow = store.now() + TimeDelta::days(1);
        transact!(store, |tx| { tx.pending_sign_ins().delete_expired(tomorrow, u32::MAX).await }).await?;
        let sessions = self.end_sessions(before).await?;
        let delete = async || transact!(store, |tx| { tx.password_links().delete_any(BATCH).await }).await;
        let password_links = in_batches(delete).await?;
        let forget = async || transact!(store, |tx| { tx.consents().forget_any(BATCH).await }).await;
        let consents = in_batches(forget).await?;
        // In one statement: codes live for ten minutes at most and are cleaned up every hour.
        let codes = transact!(store, |tx| { tx.codes().discard_unredeemed(None, before).await }).await?;
        let (grants, personal_tokens) = self.revoke_tokens(before).await?;
        let report =
            InvalidationReport { keys, sessions, password_links, consents, codes, grants, personal_tokens };
        let event = self.event(AuditKind::EverythingInvalidated).count(report.total());
        transact!(store, |tx| { tx.record(event).await }).await?;
        Ok(report)
    }

    async fn end_sessions(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        in_batches(async || {
            transact!(self.keys.store, |tx| {
                // A session last seen before this time was also created before it, so one time serves for
                // both.
                let ended = tx.sessions().delete_ended(before, before, BATCH).await?;
                self.record_count(tx, AuditKind::SignedOut, ended).await?;
                Ok(ended)
            })
            .await
        })
        .await
    }

    /// Revokes grants and personal tokens, and returns their numbers. Iterates over users in batches, because
    /// a user's rows are adjacent and their number is bounded. Users created in the meantime have nothing
    /// older.
    async fn revoke_tokens(&self, before: DateTime<Utc>) -> Result<(u64, u64), StorageError> {
        let (mut grants, mut personal_tokens, mut after) = (0, 0, None);
        while let Some(people) = self.people(after).await? {
            after = Some(*people.end());
            let at = self.keys.store.now();
            let (granted, revoked) = transact!(self.keys.store, |tx| {
                let granted = tx.grants().revoke_created_before(people.clone(), before, at).await?;
                let revoked = tx.personal_tokens().revoke_created_before(people, before, at).await?;
                self.record_count(tx, AuditKind::GrantRevoked, granted).await?;
                self.record_count(tx, AuditKind::PersonalTokenRevoked, revoked).await?;
                Ok::<_, StorageError>((granted, revoked))
            })
            .await?;
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
        self.keys.store.event(AuditActor::Operator, kind)
    }

    /// Records an event with this count, unless it is zero.
    async fn record_count(
        &self,
        tx: &mut dyn UnitOfWork,
        kind: AuditKind,
        count: u64,
    ) -> Result<(), StorageError> {
        if count == 0 {
            return Ok(());
        }
        tx.record(self.event(kind).count(count)).await
    }
}
