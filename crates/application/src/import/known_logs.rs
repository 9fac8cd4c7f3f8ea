//! Finds the logs that a record may match by id, by key, and by supplement and time.

use crate::model::import_report::ItemStatus;
use crate::ports::import_source::ImportedLog;
use crate::ports::storage::RecordVersion;
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
    pub(super) fn len(&self) -> usize {
        self.logs.len()
    }

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
        ids.iter().filter_map(move |id| self.get(*id))
    }

    /// Returns the logs with the id or the key of a record, or with its supplement and time.
    pub(super) fn candidates(&self, imported: &ImportedLog) -> impl Iterator<Item = &IntakeLog> {
        let by_id = imported.id.and_then(|id| self.get(id));
        let by_key = imported.record.external_key().and_then(|key| self.with_key(key));
        by_id.into_iter().chain(by_key).chain(self.taken_with(&imported.record))
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

/// A log that an import has met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MetLog {
    /// Number of the last file that has the log.
    pub(super) file: u32,
    /// The last record that has the log.
    pub(super) last: LogNames,
    /// The log as the import found it; `None` if it added the log.
    pub(super) found: Option<RecordVersion>,
    /// Net effect of the import on the log, as counted.
    pub(super) counted: ItemStatus,
}

/// The id and the key of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogNames {
    pub(super) id: Option<IntakeLogId>,
    pub(super) has_key: bool,
}

impl LogNames {
    /// Describes a record.
    pub(super) fn of(imported: &ImportedLog) -> Self {
        let has_key = imported.record.external_key().is_some();
        Self { id: imported.id, has_key }
    }

    /// Returns whether the record has an id or a key.
    pub(super) const fn is_named(&self) -> bool {
        self.id.is_some() || self.has_key
    }

    /// Returns whether a later record of the file that was matched with the same log repeats this one.
    /// Otherwise this one has only the supplement and the time of the log, and the later one its id or key.
    pub(super) fn is_repeated_by(&self, later: &Self, log: IntakeLogId) -> bool {
        let has_id = self.id.is_some() && (self.id == Some(log) || self.id == later.id);
        self.has_key || has_id || !later.is_named()
    }
}

fn intake(record: &IntakeLogRecord) -> (SupplementId, DateTime<Utc>) {
    (record.supplement_id(), record.created_at())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::record::{intake, log_id, supplement_id};

    fn taken(id: u128, at: i64, key: Option<&str>) -> IntakeLog {
        intake(supplement_id(4), at, 1.0, key).with_id(log_id(id))
    }

    #[test]
    fn a_log_that_changed_is_found_as_it_is_now() {
        let mut known = KnownLogs::default();
        let (before, after) = (taken(1, 5, Some("a")), taken(1, 6, Some("b")));
        known.put(before.clone());
        known.put(taken(2, 5, None));
        known.put(after.clone());
        assert_eq!(known.get(log_id(1)), Some(&after));
        assert_eq!((known.with_key("a"), known.with_key("b")), (None, Some(&after)));
        assert_eq!(known.taken_with(&before.record).collect::<Vec<_>>(), [&taken(2, 5, None)]);
        assert_eq!(known.taken_with(&after.record).collect::<Vec<_>>(), [&after]);
    }
}
