//! Result of undoing an import.

use chrono::{DateTime, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId};
use domain::user::ProfileField;
use std::fmt;
use uuid::Uuid;

/// Result of undoing an import so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// Numbers of deleted, restored and kept records.
    pub counts: UndoCounts,
    /// Kept records, at most [`Self::LISTED`].
    pub kept: Vec<KeptRecord>,
}

impl Undone {
    /// Maximum number of listed kept records.
    pub const LISTED: usize = 100;
}

/// Numbers of records that an undo deleted, restored and kept. Each profile field counts as a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UndoCounts {
    /// Records added by the import, now deleted.
    pub removed: u64,
    /// Records changed or deleted by the import, now restored.
    pub restored: u64,
    /// Records left unchanged.
    pub kept: u64,
}

impl UndoCounts {
    /// Returns the number of reverted records.
    pub const fn reverted(self) -> u64 {
        self.removed.saturating_add(self.restored)
    }
}

/// A record that an undo left unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRecord {
    /// The record.
    pub what: KeptItem,
    /// Start of a session, or time of an intake, if known.
    pub at: Option<DateTime<Utc>>,
    /// Reason.
    pub why: KeptReason,
}

/// A record or a profile field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptItem {
    /// A sleep session.
    Session(SleepSessionId),
    /// An intake log.
    Log(IntakeLogId),
    /// A version of a label.
    Label(SupplementId),
    /// A profile field.
    Profile(ProfileField),
}

/// Why an undo leaves a record unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptReason {
    /// This import changed it later.
    ChangedBy(ImportId),
    /// It was changed by something else.
    Changed,
    /// It was deleted by something else.
    Deleted,
    /// It is a label with logs, or another record has its id or key.
    InUse,
}

impl fmt::Display for KeptRecord {
    /// Writes kind, id, time in microseconds and reason: the stored form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            KeptItem::Session(id) => write!(f, "session {id}"),
            KeptItem::Log(id) => write!(f, "log {id}"),
            KeptItem::Label(id) => write!(f, "label {id}"),
            KeptItem::Profile(field) => write!(f, "profile {}", field.as_str()),
        }?;
        match self.at {
            Some(at) => write!(f, " {}", at.timestamp_micros()),
            None => f.write_str(" -"),
        }?;
        match self.why {
            KeptReason::ChangedBy(id) => write!(f, " {id}"),
            KeptReason::Changed => f.write_str(" changed"),
            KeptReason::Deleted => f.write_str(" deleted"),
            KeptReason::InUse => f.write_str(" in_use"),
        }
    }
}

impl KeptRecord {
    /// Parses the stored form.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(' ').collect();
        let [kind, id, at, why] = *<&[&str; 4]>::try_from(parts.as_slice()).ok()?;
        let uuid = || Uuid::try_parse(id).ok();
        let what = match kind {
            "session" => KeptItem::Session(SleepSessionId::from_uuid(uuid()?)),
            "log" => KeptItem::Log(IntakeLogId::from_uuid(uuid()?)),
            "label" => KeptItem::Label(SupplementId::from_uuid(uuid()?)),
            "profile" => KeptItem::Profile(ProfileField::parse(id)?),
            _ => return None,
        };
        let at = match at {
            "-" => None,
            micros => Some(DateTime::from_timestamp_micros(micros.parse().ok()?)?),
        };
        let why = match why {
            "changed" => KeptReason::Changed,
            "deleted" => KeptReason::Deleted,
            "in_use" => KeptReason::InUse,
            id => KeptReason::ChangedBy(ImportId::from_uuid(Uuid::try_parse(id).ok()?)),
        };
        Some(Self { what, at, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_record_reads_back_as_written() {
        let (id, at) = (Uuid::from_u128(7), DateTime::from_timestamp_micros(1_772_323_200_000_001));
        let whats = [
            KeptItem::Session(SleepSessionId::from_uuid(id)),
            KeptItem::Log(IntakeLogId::from_uuid(id)),
            KeptItem::Label(SupplementId::from_uuid(id)),
            KeptItem::Profile(ProfileField::Height),
        ];
        let by = KeptReason::ChangedBy(ImportId::from_uuid(id));
        for what in whats {
            for why in [by, KeptReason::Changed, KeptReason::Deleted, KeptReason::InUse] {
                for at in [at, None] {
                    let record = KeptRecord { what, at, why };
                    assert_eq!(KeptRecord::parse(&record.to_string()), Some(record));
                }
            }
        }
        assert_eq!(KeptRecord::parse("session x - changed"), None);
        assert_eq!(KeptRecord::parse("night"), None);
    }
}
