//! What was brought in from files.

use super::part::grouped;
use super::{FormErrors, ImportProfile, Moment, Person};
use askama::Template;

/// The page of imports, with the form for a new one.
#[derive(Clone, Template)]
#[template(path = "imports.html")]
#[expect(clippy::struct_field_names, reason = "the page is named after its list")]
pub(crate) struct Imports {
    /// Who is signed in.
    pub(crate) person: Person,
    /// What is wrong with the file that was sent.
    pub(crate) errors: FormErrors,
    /// The most MiB of a file; nothing where files are not taken.
    pub(crate) most: Option<u64>,
    /// The name of the person's time zone.
    pub(crate) zone: String,
    /// The imports, the latest first.
    pub(crate) imports: Vec<ImportLine>,
}

/// The page of one import.
#[derive(Clone, Template)]
#[template(path = "import.html")]
pub(crate) struct ImportPage {
    /// Who is signed in.
    pub(crate) person: Person,
    /// What went well before.
    pub(crate) notice: Option<String>,
    /// The import.
    pub(crate) import: ImportLine,
    /// What it changed in the profile and proposes to change.
    pub(crate) profile: ImportProfile,
    /// What was not taken, the first of it.
    pub(crate) rejected: Vec<ImportRemark>,
    /// How much that was.
    pub(crate) rejected_total: u64,
    /// What else there is to tell of the file and of records that were taken, the first of it.
    pub(crate) notes: Vec<ImportRemark>,
    /// How much that was.
    pub(crate) notes_total: u64,
    /// Whether the file had labels, which no upload brings.
    pub(crate) left_out_labels: bool,
    /// What undoing it did; `None` unless it was undone.
    pub(crate) undone: Option<UndoneLine>,
}

/// What undoing an import did.
#[derive(Clone)]
pub(crate) struct UndoneLine {
    pub(crate) removed: u64,
    pub(crate) restored: u64,
    pub(crate) kept: u64,
    /// The first of the kept records.
    pub(crate) records: Vec<KeptLine>,
}

/// A record that was kept.
#[derive(Clone)]
pub(crate) struct KeptLine {
    /// Kind of the record, or name of the profile field.
    pub(crate) what: String,
    pub(crate) at: Option<Moment>,
    pub(crate) why: &'static str,
    /// The import that changed it later.
    pub(crate) by: Option<String>,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportPhase {
    /// The file arrives.
    Receiving,
    /// The file waits to be read.
    Waiting,
    /// The file is read once to see whether it is whole.
    Checking,
    /// Records are stored.
    Storing,
    /// Everything was read.
    Done,
    /// The file was refused.
    Refused,
    /// It was stopped before it was done.
    Cancelled,
    /// It is being taken back.
    Undoing,
    /// It was taken back.
    Undone,
}

/// An import.
#[derive(Clone)]
pub(crate) struct ImportLine {
    /// Its id, which forms and addresses carry.
    pub(crate) id: String,
    /// What the file is called.
    pub(crate) file: String,
    /// What the file is, once that is known.
    pub(crate) format: Option<String>,
    /// How far it is.
    pub(crate) phase: ImportPhase,
    /// How much of it is checked or, in that step, stored, of 100.
    pub(crate) percent: u64,
    /// Why the file was refused.
    pub(crate) refusal: Option<String>,
    /// How many records undoing it kept.
    pub(crate) kept: u64,
    /// Whether the operator brought it in.
    pub(crate) by_operator: bool,
    /// When it began.
    pub(crate) started: Moment,
    /// When it ended.
    pub(crate) ended: Option<Moment>,
    /// What became of its records, by kind.
    pub(crate) counts: Vec<ImportCounts>,
    /// Whether the profile was changed.
    pub(crate) profile_changed: bool,
    /// How many records were not taken.
    pub(crate) rejected: u64,
}

/// What became of the records of one kind.
#[derive(Clone)]
pub(crate) struct ImportCounts {
    pub(crate) kind: &'static str,
    pub(crate) new: u64,
    pub(crate) updated: u64,
    pub(crate) unchanged: u64,
}

/// Something about one record of a file.
#[derive(Clone)]
pub(crate) struct ImportRemark {
    /// Where in the file.
    pub(crate) place: String,
    /// What.
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
            ImportPhase::Refused => "Rejected",
            ImportPhase::Cancelled => "Cancelled",
            ImportPhase::Undoing => "Undoing",
            ImportPhase::Undone => "Undone",
        }
    }

    /// Says which step of how many it is in.
    const fn step(&self) -> &'static str {
        match self.phase {
            ImportPhase::Receiving => "Step 1 of 4: receiving the file",
            ImportPhase::Waiting => "Step 2 of 4: waiting for other imports",
            ImportPhase::Checking => "Step 3 of 4: checking the whole file for damage",
            ImportPhase::Storing => "Step 4 of 4: storing the records",
            ImportPhase::Undoing => "Removing what this import added and restoring what it replaced",
            ImportPhase::Done | ImportPhase::Refused | ImportPhase::Cancelled | ImportPhase::Undone => {
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
        self.is_undone() && self.kept > 0
    }

    const fn is_being_undone(&self) -> bool {
        matches!(self.phase, ImportPhase::Undoing)
    }

    /// Returns whether it was given up when something of it was stored.
    fn was_given_up(&self) -> bool {
        let counts = || self.counts.iter().map(|counts| counts.new + counts.updated);
        matches!(self.phase, ImportPhase::Refused) && (self.profile_changed || counts().sum::<u64>() > 0)
    }

    const fn is_in_progress(&self) -> bool {
        !matches!(
            self.phase,
            ImportPhase::Done | ImportPhase::Refused | ImportPhase::Cancelled | ImportPhase::Undone
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

    /// Summarizes the result in one line: `31 new, 2 updated, 4 unchanged, profile changed`.
    fn result(&self) -> String {
        let sum = |of: fn(&ImportCounts) -> u64| self.counts.iter().map(of).sum::<u64>();
        let parts = [
            (sum(|counts| counts.new), "new"),
            (sum(|counts| counts.updated), "updated"),
            (sum(|counts| counts.unchanged), "unchanged"),
            (self.rejected, "skipped"),
        ];
        let counted = parts.into_iter().filter(|(count, _)| *count > 0);
        let counted = counted.map(|(count, what)| format!("{} {what}", grouped(count)));
        let profile = self.profile_changed.then(|| "profile changed".to_owned());
        let parts: Vec<_> = counted.chain(profile).collect();
        if parts.is_empty() { "no records".to_owned() } else { parts.join(", ") }
    }
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
