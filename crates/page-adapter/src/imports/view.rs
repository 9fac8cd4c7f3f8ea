//! Pages of imports.

use super::profile::view::ImportProfile;
use crate::view::{FormErrors, Moment, Person, grouped};
use askama::Template;

/// Page of imports, with the upload form.
#[derive(Clone, Template)]
#[template(path = "imports/imports.html")]
#[expect(clippy::struct_field_names, reason = "the page has the name of its list")]
pub(crate) struct Imports {
    pub(crate) person: Person,
    /// Errors of the uploaded file.
    pub(crate) errors: FormErrors,
    /// Maximum size of a file in MiB; `None` if uploads are disabled.
    pub(crate) most: Option<u64>,
    /// What can be uploaded.
    pub(crate) uploads: String,
    /// Name of the person's time zone.
    pub(crate) zone: String,
    /// Whether the form asks for the start of a recording.
    pub(crate) asks_start: bool,
    /// Imports, latest first.
    pub(crate) imports: Vec<ImportLine>,
}

/// Page of one import.
#[derive(Clone, Template)]
#[template(path = "imports/import.html")]
pub(crate) struct ImportPage {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    pub(crate) import: ImportLine,
    /// Applied and proposed changes of the profile.
    pub(crate) profile: ImportProfile,
    /// First rejected records.
    pub(crate) rejected: Vec<ImportRemark>,
    /// Number of rejected records.
    pub(crate) rejected_total: u64,
    /// First notes about the file and stored records.
    pub(crate) notes: Vec<ImportRemark>,
    /// Number of notes.
    pub(crate) notes_total: u64,
    /// Whether labels in the file were ignored, which uploads cannot import.
    pub(crate) left_out_labels: bool,
    /// Result of undoing it; `None` unless it was undone.
    pub(crate) undone: Option<UndoLine>,
}

/// Result of undoing an import.
#[derive(Clone)]
pub(crate) struct UndoLine {
    pub(crate) removed: u64,
    pub(crate) restored: u64,
    pub(crate) kept: u64,
    /// First of the kept records.
    pub(crate) records: Vec<KeptLine>,
}

/// Record that was kept.
#[derive(Clone)]
pub(crate) struct KeptLine {
    /// Kind of the record, or name of the profile field.
    pub(crate) what: String,
    pub(crate) at: Option<Moment>,
    pub(crate) why: &'static str,
    /// Later import that changed it.
    pub(crate) by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportPhase {
    /// The file is being received.
    Receiving,
    /// The file is queued.
    Waiting,
    /// The file is validated.
    Checking,
    /// Records are stored.
    Storing,
    /// The import is complete.
    Done,
    /// The file was rejected.
    Rejected,
    /// The import was stopped before it was complete.
    Cancelled,
    /// The import is being undone.
    Undoing,
    /// The import was undone.
    Undone,
}

#[derive(Clone)]
pub(crate) struct ImportLine {
    /// Id, for forms and URLs.
    pub(crate) id: String,
    pub(crate) file: String,
    /// Format of the file; `None` until it is detected.
    pub(crate) format: Option<String>,
    pub(crate) phase: ImportPhase,
    /// Percentage that is validated or, in that phase, stored.
    pub(crate) percent: u64,
    /// Reason for rejecting the file.
    pub(crate) refusal: Option<String>,
    /// Results of undoing it: numbers of removed, restored and kept records. All 0 unless it was undone.
    pub(crate) undone: [u64; 3],
    /// Whether the file is a recording that was rejected because it does not state its start.
    pub(crate) needs_start: bool,
    /// Whether the operator imported it.
    pub(crate) by_operator: bool,
    /// Start time.
    pub(crate) started: Moment,
    /// End time.
    pub(crate) ended: Option<Moment>,
    /// Results of its records, by kind.
    pub(crate) counts: Vec<ImportCounts>,
    pub(crate) profile_changed: bool,
    /// Number of rejected records.
    pub(crate) rejected: u64,
}

/// Results of the records of one kind.
#[derive(Clone)]
pub(crate) struct ImportCounts {
    pub(crate) kind: &'static str,
    pub(crate) new: u64,
    pub(crate) updated: u64,
    pub(crate) unchanged: u64,
}

/// Remark about one record of a file.
#[derive(Clone)]
pub(crate) struct ImportRemark {
    /// Position in the file.
    pub(crate) place: String,
    /// Text of the remark.
    pub(crate) reason: String,
}

impl ImportLine {
    const fn state(&self) -> &'static str {
        match self.phase {
            ImportPhase::Receiving => "Receiving the file",
            ImportPhase::Waiting => "Waiting",
            ImportPhase::Checking => "Checking the file",
            ImportPhase::Storing => "Storing records",
            ImportPhase::Done => "Done",
            ImportPhase::Rejected => "Rejected",
            ImportPhase::Cancelled => "Cancelled",
            ImportPhase::Undoing => "Undoing",
            ImportPhase::Undone => "Undone",
        }
    }

    /// Describes the current step and the number of steps.
    const fn step(&self) -> &'static str {
        match self.phase {
            ImportPhase::Receiving => "Step 1 of 4: receiving the file",
            ImportPhase::Waiting => "Step 2 of 4: waiting to start",
            ImportPhase::Checking => "Step 3 of 4: checking the whole file for damage",
            ImportPhase::Storing => "Step 4 of 4: storing the records",
            ImportPhase::Undoing => "Removing what this import added and restoring what it replaced",
            ImportPhase::Done | ImportPhase::Rejected | ImportPhase::Cancelled | ImportPhase::Undone => {
                "Finished"
            }
        }
    }

    /// Returns the progress; `None` in a step that does not measure it.
    const fn percent_done(&self) -> Option<u64> {
        match self.phase {
            ImportPhase::Checking | ImportPhase::Storing => Some(self.percent),
            _ => None,
        }
    }

    const fn is_cancelled(&self) -> bool {
        matches!(self.phase, ImportPhase::Cancelled)
    }

    const fn is_undone(&self) -> bool {
        matches!(self.phase, ImportPhase::Undone)
    }

    /// Returns whether undoing it kept records, which can be tried again.
    const fn is_partly_undone(&self) -> bool {
        let [_, _, kept] = self.undone;
        self.is_undone() && kept > 0
    }

    const fn is_being_undone(&self) -> bool {
        matches!(self.phase, ImportPhase::Undoing)
    }

    /// Returns whether it was abandoned after some records were stored.
    fn was_given_up(&self) -> bool {
        let counts = || self.counts.iter().map(|counts| counts.new + counts.updated);
        matches!(self.phase, ImportPhase::Rejected) && (self.profile_changed || counts().sum::<u64>() > 0)
    }

    const fn is_in_progress(&self) -> bool {
        !matches!(
            self.phase,
            ImportPhase::Done | ImportPhase::Rejected | ImportPhase::Cancelled | ImportPhase::Undone
        )
    }

    fn can_be_undone(&self) -> bool {
        let is_begun = matches!(
            self.phase,
            ImportPhase::Done | ImportPhase::Checking | ImportPhase::Storing | ImportPhase::Undoing
        );
        is_begun || self.was_given_up() || self.is_partly_undone()
    }

    const fn can_be_cancelled(&self) -> bool {
        matches!(self.phase, ImportPhase::Receiving | ImportPhase::Waiting)
    }

    /// Summarizes the result in one line: `31 new, 2 updated, 4 unchanged, profile changed`, or what undoing
    /// it did.
    fn result(&self) -> String {
        let sum = |of: fn(&ImportCounts) -> u64| self.counts.iter().map(of).sum::<u64>();
        if self.is_undone() {
            let [removed, restored, kept] = self.undone;
            return summary([(removed, "removed"), (restored, "restored"), (kept, "kept")], None);
        }
        let parts = [
            (sum(|counts| counts.new), "new"),
            (sum(|counts| counts.updated), "updated"),
            (sum(|counts| counts.unchanged), "unchanged"),
            (self.rejected, "skipped"),
        ];
        summary(parts, self.profile_changed.then_some("profile changed"))
    }
}

/// Joins the counts above 0 and a remark.
fn summary<const N: usize>(counts: [(u64, &str); N], remark: Option<&str>) -> String {
    let counted = counts.into_iter().filter(|(count, _)| *count > 0);
    let counted = counted.map(|(count, what)| format!("{} {what}", grouped(count)));
    let parts: Vec<_> = counted.chain(remark.map(str::to_owned)).collect();
    if parts.is_empty() { "no records".to_owned() } else { parts.join(", ") }
}

impl ImportCounts {
    const fn is_any(&self) -> bool {
        self.new + self.updated + self.unchanged > 0
    }

    fn text(&self) -> String {
        let Self { kind: _, new, updated, unchanged } = self;
        format!("{} new, {} updated, {} unchanged", grouped(*new), grouped(*updated), grouped(*unchanged))
    }
}
