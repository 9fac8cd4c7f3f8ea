//! Samples of the import pages.

use super::profile::view::{ImportProfile, ProfileLine};
use super::view::{
    ImportCounts, ImportLine, ImportPage, ImportPhase, ImportRemark, Imports, KeptLine, UndoLine,
};
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, UPLOAD_FORMATS, moment, person, sample, variant};
use application::upload::UploadFormat;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    lists(source).into_iter().chain(single(source)).collect()
}

fn lists(source: TextSource) -> Vec<Sample> {
    let list = Imports {
        person: person(source),
        errors: FormErrors::none(),
        most: Some(512),
        uploads: UploadFormat::list(&UPLOAD_FORMATS),
        zone: source("Europe/Berlin"),
        asks_start: false,
        imports: vec![
            line(source, ImportPhase::Storing),
            line(source, ImportPhase::Done),
            profile_alone(source),
            refused_line(source),
            ImportLine { undone: [1204, 2, 0], ..line(source, ImportPhase::Undone) },
        ],
    };
    let none = Imports { imports: Vec::new(), most: None, ..list.clone() };
    let no_time = Imports {
        errors: FormErrors::field("recording_start", source("Enter the date and time.")),
        asks_start: true,
        ..list.clone()
    };
    let refused = Imports {
        errors: FormErrors::field("file", source("The file is larger than the limit of 512 MiB.")),
        ..list.clone()
    };
    vec![
        sample("imports", &list),
        sample("imports_none", &none),
        variant("imports_refused", &refused),
        variant("imports_no_time", &no_time),
    ]
}

/// Returns the pages of single imports.
#[expect(clippy::too_many_lines, reason = "one block for each sample")]
fn single(source: TextSource) -> Vec<Sample> {
    let done = ImportPage {
        person: person(source),
        notice: None,
        import: line(source, ImportPhase::Done),
        profile: profile(source),
        rejected: vec![remark(source, "record 12", "the night ends before it begins")],
        rejected_total: 1,
        notes: vec![remark(source, "record 14", "unknown measure")],
        notes_total: 1,
        left_out_labels: true,
        undone: None,
    };
    let running = ImportPage {
        import: line(source, ImportPhase::Storing),
        profile: ImportProfile::default(),
        rejected: Vec::new(),
        notes: Vec::new(),
        left_out_labels: false,
        ..done.clone()
    };
    let waiting = ImportPage { import: line(source, ImportPhase::Waiting), ..running.clone() };
    let checking = ImportPage { import: line(source, ImportPhase::Checking), ..running.clone() };
    let bad = ImportPage { import: refused_line(source), ..running.clone() };
    let without_start =
        ImportPage { import: ImportLine { needs_start: true, ..refused_line(source) }, ..running.clone() };
    let given_up = ImportPage {
        import: ImportLine { counts: line(source, ImportPhase::Done).counts, ..refused_line(source) },
        ..running.clone()
    };
    let undoing = ImportPage {
        notice: Some(source("Being undone.")),
        import: line(source, ImportPhase::Undoing),
        ..running.clone()
    };
    let undone = ImportPage {
        notice: Some(source("Undone.")),
        import: ImportLine { undone: [1204, 2, 2], ..line(source, ImportPhase::Undone) },
        undone: Some(undone(source)),
        ..running.clone()
    };
    let stopped = || Some(source("the operator cancelled the import"));
    let cancelled = ImportPage {
        import: ImportLine { refusal: stopped(), ..line(source, ImportPhase::Cancelled) },
        ..running.clone()
    };
    let cancelling = ImportPage {
        import: ImportLine { refusal: stopped(), ..line(source, ImportPhase::Undoing) },
        ..running.clone()
    };
    vec![
        sample("import", &done),
        sample("import_running", &running),
        sample("import_waiting", &waiting),
        sample("import_cancelled", &cancelled),
        sample("import_cancelling", &cancelling),
        variant("import_checking", &checking),
        sample("import_refused", &bad),
        sample("import_without_start", &without_start),
        sample("import_given_up", &given_up),
        sample("import_undoing", &undoing),
        sample("import_undone", &undone),
    ]
}

fn line(source: TextSource, phase: ImportPhase) -> ImportLine {
    ImportLine {
        id: "7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48".to_owned(),
        file: source("export.zip"),
        format: Some(source("apple-health")),
        phase,
        percent: 40,
        refusal: None,
        undone: [0, 0, 0],
        needs_start: false,
        by_operator: phase == ImportPhase::Done,
        started: moment(source, "21 November 2026, 09:14", "2026-11-21T08:14:00Z"),
        ended: (phase == ImportPhase::Done)
            .then(|| moment(source, "21 November 2026, 09:15", "2026-11-21T08:15:00Z")),
        counts: vec![
            ImportCounts { kind: "Nights", new: 1204, updated: 2, unchanged: 31 },
            ImportCounts { kind: "Intakes", new: 0, updated: 0, unchanged: 0 },
        ],
        profile_changed: true,
        rejected: 1,
    }
}

fn profile(source: TextSource) -> ImportProfile {
    let field = |name, label, old, new| ProfileLine { name, label, old: source(old), new: source(new) };
    ImportProfile {
        changed: vec![field("blood_type", "Blood type", "not set", "A+")],
        proposed: vec![
            field("birth_date", "Birth date", "1990-05-17", "1991-01-01"),
            field("biological_sex", "Biological sex", "other", "female"),
        ],
    }
}

fn undone(source: TextSource) -> UndoLine {
    let at = moment(source, "10 January 2026, 22:20", "2026-01-10T21:20:00Z");
    let by = Some("0b0e1c53-6c0f-4d3a-9a34-2b1f9a1d6a11".to_owned());
    let night = KeptLine { what: source("Night"), at: Some(at), why: "changed later by", by };
    let height = KeptLine { what: source("Height"), at: None, why: "changed since", by: None };
    UndoLine { removed: 1204, restored: 2, kept: 2, records: vec![night, height] }
}

fn remark(source: TextSource, place: &str, reason: &str) -> ImportRemark {
    ImportRemark { place: source(place), reason: source(reason) }
}

/// Returns an import that changed only the profile.
fn profile_alone(source: TextSource) -> ImportLine {
    ImportLine { counts: Vec::new(), rejected: 0, ..line(source, ImportPhase::Done) }
}

fn refused_line(source: TextSource) -> ImportLine {
    ImportLine {
        counts: Vec::new(),
        profile_changed: false,
        rejected: 0,
        refusal: Some(source("the format of the file is not supported")),
        ..line(source, ImportPhase::Rejected)
    }
}
