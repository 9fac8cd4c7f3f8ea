//! What undoing an import did.

use chrono::{DateTime, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId};
use domain::user::ProfileField;
use std::fmt;
use uuid::Uuid;

/// What undoing an import did so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// How many records were removed, restored and kept.
    pub counts: UndoneCounts,
    /// The records that were kept, at most [`Self::LISTED`].
    pub kept: Vec<KeptRecord>,
}

impl Undone {
    /// How many kept records are listed.
    pub const LISTED: usize = 100;
}

/// How many records undoing an import removed, restored and kept. Each profile field counts as a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UndoneCounts {
    /// Records that the import had added, and that are gone.
    pub removed: u64,
    /// Records that the import had changed or removed, and that are as they were before.
    pub restored: u64,
    /// Records that stay as they are.
    pub kept: u64,
}

impl UndoneCounts {
    /// Counts the records that were taken back, in either way.
    pub const fn taken_back(self) -> u64 {
        self.removed.saturating_add(self.restored)
    }
}

/// A record that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRecord {
    /// The record.
    pub what: KeptWhat,
    /// Start of a session, or time of an intake, if known.
    pub at: Option<DateTime<Utc>>,
    /// Why it stays.
    pub why: KeptWhy,
}

/// A record, or a field of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptWhat {
    /// A sleep session.
    Session(SleepSessionId),
    /// An intake log.
    Log(IntakeLogId),
    /// A version of a label.
    Label(SupplementId),
    /// A field of the profile.
    Profile(ProfileField),
}

/// Why undoing an import leaves a record as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptWhy {
    /// This import changed it later.
    ChangedBy(ImportId),
    /// Something else changed it since.
    Changed,
    /// Something else deleted it since.
    Deleted,
    /// It is a label that was logged, or another record has its id or its key.
    InUse,
}

impl fmt::Display for KeptRecord {
    /// Writes kind, id, time in microseconds and reason, as the store keeps them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            KeptWhat::Session(id) => write!(f, "session {id}"),
            KeptWhat::Log(id) => write!(f, "log {id}"),
            KeptWhat::Label(id) => write!(f, "label {id}"),
            KeptWhat::Profile(field) => write!(f, "profile {}", field.as_str()),
        }?;
        match self.at {
            Some(at) => write!(f, " {}", at.timestamp_micros()),
            None => f.write_str(" -"),
        }?;
        match self.why {
            KeptWhy::ChangedBy(id) => write!(f, " {id}"),
            KeptWhy::Changed => f.write_str(" changed"),
            KeptWhy::Deleted => f.write_str(" deleted"),
            KeptWhy::InUse => f.write_str(" in_use"),
        }
    }
}

impl KeptRecord {
    /// Parses what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(' ').collect();
        let [kind, id, at, why] = *<&[&str; 4]>::try_from(parts.as_slice()).ok()?;
        let uuid = || Uuid::try_parse(id).ok();
        let what = match kind {
            "session" => KeptWhat::Session(SleepSessionId::from_uuid(uuid()?)),
            "log" => KeptWhat::Log(IntakeLogId::from_uuid(uuid()?)),
            "label" => KeptWhat::Label(SupplementId::from_uuid(uuid()?)),
            "profile" => KeptWhat::Profile(ProfileField::parse(id)?),
            _ => return None,
        };
        let at = match at {
            "-" => None,
            micros => Some(DateTime::from_timestamp_micros(micros.parse().ok()?)?),
        };
        let why = match why {
            "changed" => KeptWhy::Changed,
            "deleted" => KeptWhy::Deleted,
            "in_use" => KeptWhy::InUse,
            id => KeptWhy::ChangedBy(ImportId::from_uuid(Uuid::try_parse(id).ok()?)),
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
            KeptWhat::Session(SleepSessionId::from_uuid(id)),
            KeptWhat::Log(IntakeLogId::from_uuid(id)),
            KeptWhat::Label(SupplementId::from_uuid(id)),
            KeptWhat::Profile(ProfileField::Height),
        ];
        let by = KeptWhy::ChangedBy(ImportId::from_uuid(id));
        for what in whats {
            for why in [by, KeptWhy::Changed, KeptWhy::Deleted, KeptWhy::InUse] {
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
