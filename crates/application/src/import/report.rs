//! What an import did.

use crate::ports::import_source::{Note, Rejection};
use domain::user::ProfileChanges;

/// How many rejections and different notes a report names; beyond, they are only counted, so that memory stays flat.
pub const MAX_LISTED: usize = 1000;

/// What became of the records of one kind. A record that comes twice in a file counts once, unless very many others
/// (hundreds of thousands) are in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Stored for the first time.
    pub new: u64,
    /// Known, and different now.
    pub updated: u64,
    /// Known, and the same.
    pub unchanged: u64,
}

/// What became of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    New,
    Updated,
    Unchanged,
}

impl Counts {
    pub(super) fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::New => self.new += 1,
            Outcome::Updated => self.updated += 1,
            Outcome::Unchanged => self.unchanged += 1,
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

/// A note of a report. Notes that differ only in place and amount are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportNote {
    /// Where it was first.
    pub place: String,
    /// What was noted.
    pub reason: String,
    /// The sum of the amounts, where the note has any.
    pub amount: Option<u64>,
    /// How often it was noted, at least once.
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

    /// Returns where it was, for people: `record 3`, or `record 3 and 4 more`.
    pub fn places(&self) -> String {
        match self.count {
            0 | 1 => self.place.clone(),
            count => format!("{} and {} more", self.place, count - 1),
        }
    }

    /// Returns what was noted, with the amount.
    pub fn text(&self) -> String {
        match self.amount {
            Some(amount) => format!("{}: {amount}", self.reason),
            None => self.reason.clone(),
        }
    }
}

/// What an import of one file did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Sleep sessions.
    pub sessions: Counts,
    /// Stage entries of these sessions, whatever became of the sessions.
    pub stage_entries: u64,
    /// Labels of supplements.
    pub supplements: Counts,
    /// Intake logs.
    pub logs: Counts,
    /// Whether the profile was changed.
    pub profile_changed: bool,
    /// Which fields of the profile were changed, and which the file proposes to change.
    pub profile: ProfileChanges,
    /// What was not taken, in the file's order, at most [`MAX_LISTED`].
    pub rejected: Vec<Rejection>,
    /// How many records were not taken.
    pub rejected_total: u64,
    /// What was dropped of records that were taken, in the file's order, at most [`MAX_LISTED`].
    pub notes: Vec<ReportNote>,
    /// How many notes there were, each time counted.
    pub notes_total: u64,
    /// Whether the file has labels of supplements that were left out because it is an upload.
    pub left_out_labels: bool,
}

impl ImportReport {
    /// How many rejections, and how many notes, the store keeps.
    pub const KEPT: usize = 100;

    /// Returns whether it says of any record that it was stored or changed.
    pub fn changed_anything(&self) -> bool {
        let counts = [self.sessions, self.supplements, self.logs];
        self.profile_changed || counts.iter().any(|counts| counts.new + counts.updated > 0)
    }

    /// Gives the report as it is kept: with the first rejections and notes only; the totals stay.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.rejected.truncate(Self::KEPT);
        self.notes.truncate(Self::KEPT);
        self
    }

    /// Adds what earlier tries of the same import stored, which this one, reading all of the file again, found unchanged.
    /// What is not taken, and what there is to note, it found again itself.
    #[must_use]
    pub(super) fn after(self, earlier: &Self) -> Self {
        Self {
            sessions: self.sessions.after(earlier.sessions),
            supplements: self.supplements.after(earlier.supplements),
            logs: self.logs.after(earlier.logs),
            profile_changed: self.profile_changed || earlier.profile_changed,
            ..self
        }
    }

    pub(super) fn reject(&mut self, rejection: Rejection) {
        self.rejected_total += 1;
        if self.rejected.len() < MAX_LISTED {
            self.rejected.push(rejection);
        }
    }

    pub(super) fn note(&mut self, note: Note) {
        self.notes_total += 1;
        if let Some(known) = self.notes.iter_mut().find(|known| known.is_about(&note)) {
            known.add(&note);
        } else if self.notes.len() < MAX_LISTED {
            self.notes.push(ReportNote::first(note));
        }
    }
}
