//! Rejected records, and notes on accepted ones.

/// Why a record was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Location in the file: `record 12`, `line 3`; never a value of the record.
    pub place: String,
    /// Reason, for the file's owner; never a health value.
    pub reason: String,
}

/// A part that was dropped from an accepted record, or skipped in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Location in the file: `record 12`, `line 3`; never a value of the record.
    pub place: String,
    /// Fixed text for the file's owner; never a health value.
    pub reason: String,
    /// Number of parts concerned; `None` if it is the record itself.
    pub amount: Option<u64>,
}

impl From<Rejection> for Note {
    fn from(Rejection { place, reason }: Rejection) -> Self {
        Self { place, reason, amount: None }
    }
}
