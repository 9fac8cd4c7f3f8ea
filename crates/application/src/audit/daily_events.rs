//! Events that are recorded once a day.

use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ClientId, UserId};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use uuid::Uuid;

/// Number of today's events to remember: about 10 MB. Repetitions of others cost a statement.
const REMEMBERED: usize = 100_000;

type Key = (AuditKind, AuditActor, Option<UserId>, Option<ClientId>, Option<Uuid>);

/// Appends frequent events of apps and backends ([`AuditEvent::is_daily`]) once a day. It remembers the
/// events of today, so that a repetition costs no statement. The store prevents duplicates from several
/// replicas.
#[derive(Debug, Default)]
pub struct DailyEvents(Mutex<Today>);

#[derive(Debug, Default)]
struct Today {
    day: NaiveDate,
    known: HashSet<Key>,
}

impl DailyEvents {
    /// Returns whether this process remembers an event like this one of the same day.
    pub fn is_known(&self, event: &AuditEvent) -> bool {
        let today = self.today();
        today.day == event.at.date_naive() && today.known.contains(&key(event))
    }

    /// Appends the events that are the first of their day, and returns these; the caller remembers them after
    /// the commit.
    pub(crate) async fn append(
        &self,
        tx: &mut dyn UnitOfWork,
        mut events: Vec<AuditEvent>,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        events.retain(|event| !self.is_known(event));
        for event in &events {
            tx.audit().append_once(event, start_of_day(event.at)).await?;
        }
        Ok(events)
    }

    /// Remembers events that are stored.
    pub(crate) fn remember(&self, events: &[AuditEvent]) {
        for event in events {
            let (day, mut today) = (event.at.date_naive(), self.today());
            if today.day != day {
                *today = Today { day, known: HashSet::new() };
            }
            if today.known.len() < REMEMBERED {
                today.known.insert(key(event));
            }
        }
    }

    /// Returns the set, also after another thread's panic, which cannot leave it half written.
    fn today(&self) -> MutexGuard<'_, Today> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const fn key(event: &AuditEvent) -> Key {
    (event.kind, event.actor, event.user_id, event.client_id, event.subject)
}

fn start_of_day(at: DateTime<Utc>) -> DateTime<Utc> {
    at.date_naive().and_time(NaiveTime::MIN).and_utc()
}
