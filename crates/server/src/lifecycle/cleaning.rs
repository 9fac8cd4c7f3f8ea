//! Deleting what nobody needs any more.

use crate::settings::Settings;
use crate::wiring::Store;
use application::audit::{PruneAudit, PrunedAudit};
use application::ports::storage::{FailureCounter, StorageError, UnitOfWorkFactory};
use application::ports::system::Clock;
use chrono::TimeDelta;
use domain::authorization_request;
use domain::session::SessionLifetime;
use std::sync::Arc;

/// How many rows are deleted at a time, so that no other writer waits long.
const BATCH: u32 = 500;

/// Deletes what has expired: codes, requests, links, sessions, counters of failures, grants and personal tokens that were
/// revoked or ended long ago, and what the audit trail keeps
/// no longer.
pub(crate) struct Cleaning {
    units: Arc<dyn UnitOfWorkFactory>,
    failures: Arc<dyn FailureCounter>,
    clock: Arc<dyn Clock>,
    failure_window: TimeDelta,
    sessions: SessionLifetime,
    audit: PruneAudit,
}

impl Cleaning {
    /// How long an expired code is kept: a replay in this time still revokes what its first use made.
    const KEEP_CODES: TimeDelta = TimeDelta::days(1);
    /// How long what was revoked or has ended is kept, for the person and the operator to look at: 30 days.
    const KEEP_REVOKED: TimeDelta = TimeDelta::days(30);
    /// The longest window of failures that is not a setting: that of a day, for an account.
    const LONGEST_FIXED_WINDOW: TimeDelta = TimeDelta::days(1);

    /// Takes the ports and the settings that say how long things are kept.
    pub(crate) fn new(store: &Store, clock: Arc<dyn Clock>, settings: &Settings, audit: PruneAudit) -> Self {
        let window = TimeDelta::seconds(i64::from(settings.tokens.failure_window_seconds));
        Self {
            units: store.units.clone(),
            failures: store.failures.clone(),
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
            let batch = self.delete_batch().await?;
            deleted += batch.iter().sum::<u64>();
            if batch.into_iter().max().unwrap_or_default() < u64::from(BATCH) {
                break;
            }
        }
        let PrunedAudit { events, reads } = self.audit.run().await?;
        Ok(deleted + events + reads)
    }

    /// Deletes one batch of each kind, and returns how many rows of each that were.
    async fn delete_batch(&self) -> Result<[u64; 7], StorageError> {
        let now = self.clock.now();
        let requests_before = now - TimeDelta::seconds(authorization_request::LIFETIME_SECONDS);
        let (idle, absolute) = (self.sessions.idle, self.sessions.absolute);
        let mut unit = self.units.begin().await?;
        let codes = unit.codes().delete_expired(now - Self::KEEP_CODES, BATCH).await?;
        let requests = unit.authorization_requests().delete_older(requests_before, BATCH).await?;
        let links = unit.password_links().delete_expired(now, BATCH).await?;
        let sessions = unit.sessions().delete_ended(now - idle, now - absolute, BATCH).await?;
        let grants = unit.grants().delete_revoked(now - Self::KEEP_REVOKED, BATCH).await?;
        let tokens = unit.personal_tokens().delete_ended(now - Self::KEEP_REVOKED, BATCH).await?;
        unit.commit().await?;
        let counters = self.failures.delete_stale(now - self.failure_window, BATCH).await?;
        Ok([codes, requests, links, sessions, grants, tokens, counters])
    }
}
