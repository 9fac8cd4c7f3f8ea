//! Report of an import.

use domain::user::ProfileChanges;

/// Maximum number of listed rejections and distinct notes. Others are only counted, so that memory is
/// bounded.
pub const MAX_LISTED: usize = 1000;

/// Outcomes of the records of one kind. A duplicate in a file counts once, unless hundreds of thousands of
/// others lie in between; an intake that several files have counts by the net effect of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records stored for the first time.
    pub new: u64,
    /// Existing records that were changed.
    pub updated: u64,
    /// Existing records that were equal.
    pub unchanged: u64,
}

/// Outcome of one accepted record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemStatus {
    /// The record is new.
    Created,
    /// The record existed and was changed.
    Updated,
    /// The record existed and was equal.
    Unchanged,
}

impl Counts {
    pub(crate) fn add(&mut self, outcome: ItemStatus) {
        *self.count_mut(outcome) += 1;
    }

    /// Moves one record from the first of these counts to the second one.
    pub(crate) fn correct(&mut self, from: ItemStatus, to: ItemStatus) {
        let count = self.count_mut(from);
        *count = count.saturating_sub(1);
        self.add(to);
    }

    const fn count_mut(&mut self, outcome: ItemStatus) -> &mut u64 {
        match outcome {
            ItemStatus::Created => &mut self.new,
            ItemStatus::Updated => &mut self.updated,
            ItemStatus::Unchanged => &mut self.unchanged,
        }
    }

    fn after(self, Self { new, updated, unchanged: _ }: Self) -> Self {
        Self {
            new: self.new.saturating_add(new),
            updated: self.updated.saturating_add(updated),
            unchanged: self.unchanged.saturating_sub(new.saturating_add(updated)),
        }
    }
}

/// A note of a report. Notes that differ only in location and amount are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportNote {
    /// Location of the first occurrence.
    pub place: String,
    /// Text of the note.
    pub reason: String,
    /// Sum of the amounts, if the note has any.
    pub amount: Option<u64>,
    /// Number of occurrences, at least one.
    pub count: u64,
}

impl ReportNote {
    fn first(Note { place, reason, amount }: Note) -> Self {
        Self { place, reason, amount, count: 1 }
    }

    fn is_about(&self, note: &Note) -> bool {
        self.reason == note.reason && self.amount.is_some() == note.amount.is_some()
    }

    fn add(&mut self, note: &Note) {
        self.amount = self.amount.zip(note.amount).map(|(sum, more)| sum.saturating_add(more));
        self.count = self.count.saturating_add(1);
    }

    /// Returns the locations as text: `record 3`, or `record 3 and 4 more`.
    pub fn places(&self) -> String {
        match self.count {
            0 | 1 => self.place.clone(),
            count => format!("{} and {} more", self.place, count - 1),
        }
    }

    /// Returns the text with the amount.
    pub fn text(&self) -> String {
        match self.amount {
            Some(amount) => format!("{}: {amount}", self.reason),
            None => self.reason.clone(),
        }
    }
}

/// Changes made by an import, or that it would make.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Sleep sessions.
    pub sessions: Counts,
    /// Stage entries of these sessions, whatever their outcome.
    pub stage_entries: u64,
    /// Supplement labels.
    pub supplements: Counts,
    /// Intake logs.
    pub logs: Counts,
    /// Whether the profile was changed.
    pub profile_changed: bool,
    /// Changed and proposed profile fields.
    pub profile: ProfileChanges,
    /// Rejected records in file order, at most [`MAX_LISTED`].
    pub rejected: Vec<Rejection>,
    /// Number of rejected records.
    pub rejected_total: u64,
    /// Notes on accepted records in file order, at most [`MAX_LISTED`].
    pub notes: Vec<ReportNote>,
    /// Number of all occurrences of notes.
    pub notes_total: u64,
    /// Whether supplement labels were skipped because the file is an upload.
    pub left_out_labels: bool,
}

impl ImportReport {
    /// Number of rejections and of notes that are stored.
    pub const KEPT: usize = 100;

    /// Returns whether any record was stored or changed.
    pub fn changed_anything(&self) -> bool {
        let counts = [self.sessions, self.supplements, self.logs];
        self.profile_changed || counts.iter().any(|counts| counts.new + counts.updated > 0)
    }

    /// Returns the stored form of the report, with the first rejections and notes only; totals are kept.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.rejected.truncate(Self::KEPT);
        self.notes.truncate(Self::KEPT);
        self
    }

    /// Adds the counts of earlier tries of the same import, whose records this one found unchanged.
    /// Rejections and notes are not added, because this try found them again.
    #[must_use]
    pub(crate) fn after(self, earlier: &Self) -> Self {
        Self {
            sessions: self.sessions.after(earlier.sessions),
            supplements: self.supplements.after(earlier.supplements),
            logs: self.logs.after(earlier.logs),
            profile_changed: self.profile_changed || earlier.profile_changed,
            ..self
        }
    }

    pub(crate) fn reject(&mut self, rejection: Rejection) {
        self.rejected_total += 1;
        if self.rejected.len() < MAX_LISTED {
            self.rejected.push(rejection);
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        self.notes_total += 1;
        if let Some(known) = self.notes.iter_mut().find(|known| known.is_about(&note)) {
            known.add(&note);
        } else if self.notes.len() < MAX_LISTED {
            self.notes.push(ReportNote::first(note));
        }
    }
}

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
