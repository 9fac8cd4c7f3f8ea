//! Deleting what nobody needs any more.

use crate::settings::Settings;
use crate::wiring::Store;
use application::audit::{PruneAudit, PrunedAudit};
use application::ports::storage::{
    ChangeReader, FailureCounter, IdempotencyStore, StorageError, UnitOfWorkFactory,
};
use application::ports::system::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::session::SessionLifetime;
use domain::{authorization_request, change};
use std::sync::Arc;

/// How many rows are deleted at a time, so that no other writer waits long.
const BATCH: u32 = 500;
/// How many uploads are deleted at a time: each may have many megabytes.
const UPLOAD_BATCH: u32 = 5;
/// What the person reads about an upload that was not brought to its end.
const STALE_UPLOAD: &str = "the upload did not end within 24 hours";

/// Deletes what has expired: codes, requests, links, sessions, counters of failures, grants and personal tokens that were
/// revoked or ended long ago, signing keys that were retired as long ago, mail that nobody sends, what imports, uploads,
/// deletions and repeated requests left behind, and what the audit trail keeps no longer.
pub(crate) struct Cleaning {
    units: Arc<dyn UnitOfWorkFactory>,
    failures: Arc<dyn FailureCounter>,
    changes: Arc<dyn ChangeReader>,
    answers: Arc<dyn IdempotencyStore>,
    clock: Arc<dyn Clock>,
    failure_window: TimeDelta,
    sessions: SessionLifetime,
    audit: PruneAudit,
}

/// What one batch deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Batch {
    deleted: u64,
    /// Whether it took as many as it may of some kind, so that there may be more.
    is_full: bool,
}

impl Batch {
    /// Adds up what was deleted of each kind, and the most that might have been.
    fn of<const KINDS: usize>(kinds: [(&'static str, u64, u32); KINDS]) -> Self {
        for (kind, deleted, _) in kinds {
            note(kind, deleted);
        }
        let deleted = kinds.iter().map(|(_, deleted, _)| deleted).sum();
        Self { deleted, is_full: kinds.iter().any(|(_, deleted, limit)| *deleted >= u64::from(*limit)) }
    }
}

/// Counts deleted rows by kind.
fn note(kind: &'static str, deleted: u64) {
    metrics::counter!("restwell_housekeeping_deleted_total", "kind" => kind).increment(deleted);
}

impl Cleaning {
    /// How long an expired code is kept: a replay in this time still revokes what its first use made.
    const KEEP_CODES: TimeDelta = TimeDelta::days(1);
    /// How long what was revoked or has ended is kept, for the person and the operator to look at: 30 days.
    const KEEP_REVOKED: TimeDelta = TimeDelta::days(30);
    /// The longest window of failures that is not a setting: that of a day, for an account.
    const LONGEST_FIXED_WINDOW: TimeDelta = TimeDelta::days(1);
    /// How long after its end an import can be taken back.
    const KEEP_NOTES: TimeDelta = TimeDelta::days(30);
    /// How long an upload may take, from its first part to its last record.
    const KEEP_UPLOADS: TimeDelta = TimeDelta::hours(24);
    /// How long an answer is given again.
    const KEEP_ANSWERS: TimeDelta = TimeDelta::hours(24);
    /// How long a message is kept that nobody sends. Whoever sends mail gives it up after a day.
    const KEEP_MESSAGES: TimeDelta = TimeDelta::days(2);
    /// How much longer a deletion is kept than a cursor counts: no difference of clocks between replica and store
    /// comes near it.
    const DELETION_MARGIN: TimeDelta = TimeDelta::days(1);

    /// Takes the ports and the settings that say how long things are kept.
    pub(crate) fn new(store: &Store, clock: Arc<dyn Clock>, settings: &Settings, audit: PruneAudit) -> Self {
        let window = TimeDelta::seconds(i64::from(settings.tokens.failure_window_seconds));
        Self {
            units: store.units.clone(),
            failures: store.failures.clone(),
            changes: store.changes.clone(),
            answers: store.idempotency.clone(),
            clock,
            failure_window: window.max(Self::LONGEST_FIXED_WINDOW),
            sessions: settings.sessions.lifetime(),
            audit,
        }
    }

    /// Deletes what is there to delete, and returns how many rows that were.
    pub(crate) async fn run(&self) -> Result<u64, StorageError> {
        let mut deleted = 0;
        loop {
            let now = self.clock.now();
            let (access, data) = (self.delete_access(now).await?, self.delete_traces_of_data(now).await?);
            deleted += access.deleted + data.deleted;
            if !access.is_full && !data.is_full {
                break;
            }
        }
        let PrunedAudit { events, reads } = self.audit.run().await?;
        note("audit_event", events);
        note("read_tally", reads);
        Ok(deleted + events + reads)
    }

    /// Deletes one batch of each kind of what let somebody in.
    async fn delete_access(&self, now: DateTime<Utc>) -> Result<Batch, StorageError> {
        let requests_before = now - TimeDelta::seconds(authorization_request::LIFETIME_SECONDS);
        let (idle, absolute) = (self.sessions.idle, self.sessions.absolute);
        let mut unit = self.units.begin().await?;
        let codes = unit.codes().delete_expired(now - Self::KEEP_CODES, BATCH).await?;
        let requests = unit.authorization_requests().delete_older(requests_before, BATCH).await?;
        let links = unit.password_links().delete_expired(now, BATCH).await?;
        let sessions = unit.sessions().delete_ended(now - idle, now - absolute, BATCH).await?;
        let grants = unit.grants().delete_revoked(now - Self::KEEP_REVOKED, BATCH).await?;
        let tokens = unit.personal_tokens().delete_ended(now - Self::KEEP_REVOKED, BATCH).await?;
        let keys = unit.signing_keys().delete_retired(now - Self::KEEP_REVOKED, BATCH).await?;
        unit.commit().await?;
        let counters = self.failures.delete_stale(now - self.failure_window, BATCH).await?;
        let kinds = [
            ("authorization_code", codes),
            ("authorization_request", requests),
            ("password_link", links),
            ("session", sessions),
            ("access_grant", grants),
            ("personal_token", tokens),
            ("signing_key", keys),
            ("failure_counter", counters),
        ];
        Ok(Batch::of(kinds.map(|(kind, count)| (kind, count, BATCH))))
    }

    /// Deletes one batch of each kind of what is kept about data for a while.
    async fn delete_traces_of_data(&self, now: DateTime<Utc>) -> Result<Batch, StorageError> {
        let (notes_before, uploads_before) = (now - Self::KEEP_NOTES, now - Self::KEEP_UPLOADS);
        let mut unit = self.units.begin().await?;
        let notes = unit.import_journal().forget_before(notes_before, BATCH).await?;
        let uploads = unit.uploads().delete_stale(uploads_before, STALE_UPLOAD, UPLOAD_BATCH).await?;
        let messages = unit.outbox().delete_queued_before(now - Self::KEEP_MESSAGES, BATCH).await?;
        unit.commit().await?;
        let deletions_before = now - change::KEPT_FOR - Self::DELETION_MARGIN;
        let deletions = self.changes.forget_deletions(deletions_before, BATCH).await?;
        let answers = self.answers.delete_before(now - Self::KEEP_ANSWERS, BATCH).await?;
        Ok(Batch::of([
            ("import_change", notes, BATCH),
            ("upload", uploads, UPLOAD_BATCH),
            ("message", messages, BATCH),
            ("deletion", deletions, BATCH),
            ("idempotent_answer", answers, BATCH),
        ]))
    }
}

#[cfg(test)]
mod tests;
