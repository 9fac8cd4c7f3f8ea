//! Finds the logs that a record may match by id, by key, and by supplement and time.

use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SupplementId};
use domain::supplement::{IntakeLog, IntakeLogRecord};
use std::collections::HashMap;

/// Stored and new logs of one user.
///
/// A batch has thousands of records, so lookups must not scan all logs.
#[derive(Debug, Default)]
pub(super) struct KnownLogs {
    logs: HashMap<IntakeLogId, IntakeLog>,
    by_key: HashMap<String, IntakeLogId>,
    by_intake: HashMap<(SupplementId, DateTime<Utc>), Vec<IntakeLogId>>,
}

impl KnownLogs {
    /// Adds a log, or replaces the one with its id.
    pub(super) fn put(&mut self, log: IntakeLog) {
        self.remove(log.id);
        if let Some(key) = log.record.external_key() {
            self.by_key.insert(key.to_owned(), log.id);
        }
        self.by_intake.entry(intake(&log.record)).or_default().push(log.id);
        self.logs.insert(log.id, log);
    }

    /// Finds a log by id.
    pub(super) fn get(&self, id: IntakeLogId) -> Option<&IntakeLog> {
        self.logs.get(&id)
    }

    /// Finds a log by the client's key.
    pub(super) fn with_key(&self, key: &str) -> Option<&IntakeLog> {
        self.get(*self.by_key.get(key)?)
    }

    /// Returns the logs of the supplement and the time of a record.
    pub(super) fn taken_with(&self, record: &IntakeLogRecord) -> impl Iterator<Item = &IntakeLog> {
        let ids = self.by_intake.get(&intake(record)).map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|id| self.get(*id))
    }

    fn remove(&mut self, id: IntakeLogId) {
        let Some(IntakeLog { record, .. }) = self.logs.remove(&id) else { return };
        if let Some(key) = record.external_key()
            && self.by_key.get(key) == Some(&id)
        {
            self.by_key.remove(key);
        }
        if let Some(ids) = self.by_intake.get_mut(&intake(&record)) {
            ids.retain(|other| *other != id);
        }
    }
}

/// The last record of an import that has a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MetLog {
    /// Number of the record's file.
    pub(super) file: u32,
    /// Whether the record has an id or a key.
    pub(super) is_named: bool,
    /// Whether the log has the record's id or key; otherwise only its supplement and time.
    pub(super) has_name: bool,
}

fn intake(record: &IntakeLogRecord) -> (SupplementId, DateTime<Utc>) {
    (record.supplement_id(), record.created_at())
}
