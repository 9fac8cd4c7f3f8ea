//! Deletion of expired rows.

use crate::wiring::Services;
use application::audit::{PruneAudit, PrunedAudit};
use application::client_usage::first_usage_day;
use application::ports::storage::{
    ChangeReader, ClientUsageStore, FailureCounter, IdempotencyStore, StorageError, UnitOfWorkFactory,
};
use application::ports::system::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::session::SessionLifetime;
use domain::{authorization_request, change};
use std::sync::Arc;

/// Batch size; other writers wait for at most one batch.
const BATCH: u32 = 500;
/// Batch size of uploads; each may have many megabytes.
const UPLOAD_BATCH: u32 = 5;
/// Reason shown to the person for an upload that was never completed.
const STALE_UPLOAD: &str = "the upload did not end within 24 hours";

/// Deletion of expired rows: codes, requests, links, pending sign-ins, passkey ceremonies, sessions, failure
/// counters, revoked or ended grants and personal tokens, retired signing keys, undelivered email, remains of
/// imports, uploads, deletions and idempotent requests, logged webhook deliveries, unused clients with a
/// metadata document, old usage of clients, and old audit entries.
pub(crate) struct Cleaning {
    units: Arc<dyn UnitOfWorkFactory>,
    failures: Arc<dyn FailureCounter>,
    changes: Arc<dyn ChangeReader>,
    answers: Arc<dyn IdempotencyStore>,
    usage: Arc<dyn ClientUsageStore>,
    clock: Arc<dyn Clock>,
    failure_window: TimeDelta,
    sessions: SessionLifetime,
    audit: PruneAudit,
}

/// Result of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Batch {
    deleted: u64,
    /// Whether a batch limit was reached, so that there may be more.
    is_full: bool,
}

impl Batch {
    /// Sums the deleted rows; each kind has a name, a count and a batch limit.
    fn sum<const KINDS: usize>(kinds: [(&'static str, u64, u32); KINDS]) -> Self {
        for (kind, deleted, _) in kinds {
            note(kind, deleted);
        }
        let deleted = kinds.iter().map(|(_, deleted, _)| deleted).sum();
        Self { deleted, is_full: kinds.iter().any(|(_, deleted, limit)| *deleted >= u64::from(*limit)) }
    }
}

fn note(kind: &'static str, deleted: u64) {
    metrics::counter!("restwell_housekeeping_deleted_total", "kind" => kind).increment(deleted);
}

impl Cleaning {
    /// Retention of expired codes: a replay in this time still revokes what the first use issued.
    const KEEP_CODES: TimeDelta = TimeDelta::days(1);
    /// Retention of revoked and ended grants, tokens and keys, for people and operators to see: 30 days.
    const KEEP_REVOKED: TimeDelta = TimeDelta::days(30);
    /// Longest fixed window of failures: a day, per account.
    const LONGEST_FIXED_WINDOW: TimeDelta = TimeDelta::days(1);
    /// Time after its end in which an import can be undone.
    const KEEP_NOTES: TimeDelta = TimeDelta::days(30);
    /// Maximum time of an upload, from its first part to its last record.
    const KEEP_UPLOADS: TimeDelta = TimeDelta::hours(24);
    /// Retention of responses to idempotent requests.
    const KEEP_RESPONSES: TimeDelta = TimeDelta::hours(24);
    /// Retention of undelivered email. Delivery is given up after a day.
    const KEEP_MESSAGES: TimeDelta = TimeDelta::days(2);
    /// Retention of unused clients whose metadata document expired.
    const KEEP_CLIENTS: TimeDelta = TimeDelta::days(7);
    /// Retention of logged webhook deliveries, which can be replayed as long, and of events about
    /// revocations and erasures that an endpoint did not accept.
    pub(crate) const KEEP_DELIVERIES: TimeDelta = TimeDelta::days(30);
    /// Extra retention of deletions beyond the lifetime of a cursor; larger than any clock skew between
    /// replica and store.
    const DELETION_MARGIN: TimeDelta = TimeDelta::days(1);

    /// Wires the deletion with the limits of the settings.
    pub(crate) fn new(services: &Services) -> anyhow::Result<Self> {
        let Services { store, settings, clock, .. } = services;
        let window = TimeDelta::seconds(i64::from(settings.tokens.failure_window_seconds));
        Ok(Self {
            units: store.units.clone(),
            failures: store.failures.clone(),
            changes: store.changes.clone(),
            answers: store.idempotency.clone(),
            usage: store.client_usage.clone(),
            clock: clock.clone(),
            failure_window: window.max(Self::LONGEST_FIXED_WINDOW),
            sessions: settings.sessions.lifetime(),
            audit: PruneAudit {
                store: services.audited(),
                reads: store.read_tallies.clone(),
                retention: settings.audit.retention()?,
            },
        })
    }

    /// Deletes everything that is due and returns the number of rows.
    pub(crate) async fn run(&self) -> Result<u64, StorageError> {
        let mut deleted = 0;
        loop {
            let now = self.clock.now();
            let (access, data) = (self.delete_access(now).await?, self.delete_traces_of_data(now).await?);
            let clients = self.delete_clients(now).await?;
            deleted += access.deleted + data.deleted + clients.deleted;
            if !access.is_full && !data.is_full && !clients.is_full {
                break;
            }
        }
        let PrunedAudit { events, reads } = self.audit.run().await?;
        note("audit_event", events);
        note("read_tally", reads);
        Ok(deleted + events + reads)
    }

    /// Deletes one batch of each kind of codes, requests, sessions, grants, tokens, links and keys.
    async fn delete_access(&self, now: DateTime<Utc>) -> Result<Batch, StorageError> {
        let requests_before = now - TimeDelta::seconds(authorization_request::LIFETIME_SECONDS);
        let (idle, absolute) = (self.sessions.idle, self.sessions.absolute);
        let mut unit = self.units.begin().await?;
        let codes = unit.codes().delete_expired(now - Self::KEEP_CODES, BATCH).await?;
        let requests = unit.authorization_requests().delete_older(requests_before, BATCH).await?;
        let links = unit.password_links().delete_expired(now, BATCH).await?;
        let pending = unit.pending_sign_ins().delete_expired(now, BATCH).await?;
        let ceremonies = unit.passkey_ceremonies().delete_expired(now, BATCH).await?;
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
            ("pending_sign_in", pending),
            ("passkey_ceremony", ceremonies),
            ("session", sessions),
            ("access_grant", grants),
            ("personal_token", tokens),
            ("signing_key", keys),
            ("failure_counter", counters),
        ];
        Ok(Batch::sum(kinds.map(|(kind, count)| (kind, count, BATCH))))
    }

    /// Deletes one batch of unused clients, in a separate unit of work: Citus changes clients on all servers
    /// before anything else.
    async fn delete_clients(&self, now: DateTime<Utc>) -> Result<Batch, StorageError> {
        let mut unit = self.units.begin().await?;
        let clients = unit.clients().delete_unused(now - Self::KEEP_CLIENTS, BATCH).await?;
        unit.commit().await?;
        let usage = self.usage.delete_usage_before(first_usage_day(now), BATCH).await?;
        Ok(Batch::sum([("client", clients, BATCH), ("client_usage", usage, BATCH)]))
    }

    /// Deletes one batch of each kind of import notes, uploads, deletions and idempotent responses.
    async fn delete_traces_of_data(&self, now: DateTime<Utc>) -> Result<Batch, StorageError> {
        let (notes_before, uploads_before) = (now - Self::KEEP_NOTES, now - Self::KEEP_UPLOADS);
        let mut unit = self.units.begin().await?;
        let notes = unit.import_journal().forget_before(notes_before, BATCH).await?;
        let uploads = unit.uploads().delete_stale(uploads_before, STALE_UPLOAD, UPLOAD_BATCH).await?;
        let (deliveries, endings) = unit.webhooks().delete_old(now - Self::KEEP_DELIVERIES, BATCH).await?;
        let messages = unit.outbox().delete_queued_before(now - Self::KEEP_MESSAGES, BATCH).await?;
        unit.commit().await?;
        let deletions_before = now - change::RETENTION - Self::DELETION_MARGIN;
        let deletions = self.changes.forget_deletions(deletions_before, BATCH).await?;
        let answers = self.answers.delete_before(now - Self::KEEP_RESPONSES, BATCH).await?;
        Ok(Batch::sum([
            ("import_change", notes, BATCH),
            ("upload", uploads, UPLOAD_BATCH),
            ("message", messages, BATCH),
            ("webhook_delivery", deliveries, BATCH),
            ("webhook_event", endings, BATCH),
            ("deletion", deletions, BATCH),
            ("idempotent_answer", answers, BATCH),
        ]))
    }
}

#[cfg(test)]
mod tests;
