//! Samples of the import pages.

use super::{Sample, Say, moment, person, sample, variant};
use crate::view::{
    FormErrors, ImportCounts, ImportLine, ImportPage, ImportPhase, ImportProfile, ImportRemark, Imports,
    KeptLine, ProfileLine, UndoneLine,
};

pub(super) fn samples(say: Say) -> Vec<Sample> {
    lists(say).into_iter().chain(single(say)).collect()
}

fn lists(say: Say) -> Vec<Sample> {
    let list = Imports {
        person: person(say),
        errors: FormErrors::none(),
        most: Some(512),
        zone: say("Europe/Berlin"),
        imports: vec![
            line(say, ImportPhase::Storing),
            line(say, ImportPhase::Done),
            profile_alone(say),
            refused_line(say),
        ],
    };
    let none = Imports { imports: Vec::new(), most: None, ..list.clone() };
    let no_time = Imports {
        errors: FormErrors::field("recording_start", say("Enter the date and time.")),
        ..list.clone()
    };
    let refused = Imports {
        errors: FormErrors::field("file", say("The file is larger than the limit of 512 MiB.")),
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
fn single(say: Say) -> Vec<Sample> {
    let done = ImportPage {
        person: person(say),
        notice: None,
        import: line(say, ImportPhase::Done),
        profile: profile(say),
        rejected: vec![remark(say, "record 12", "the night ends before it begins")],
        rejected_total: 1,
        notes: vec![remark(say, "record 14", "unknown measure")],
        notes_total: 1,
        left_out_labels: true,
        undone: None,
    };
    let running = ImportPage {
        import: line(say, ImportPhase::Storing),
        profile: ImportProfile::default(),
        rejected: Vec::new(),
        notes: Vec::new(),
        left_out_labels: false,
        ..done.clone()
    };
    let waiting = ImportPage { import: line(say, ImportPhase::Waiting), ..running.clone() };
    let checking = ImportPage { import: line(say, ImportPhase::Checking), ..running.clone() };
    let bad = ImportPage { import: refused_line(say), ..running.clone() };
    let given_up = ImportPage {
        import: ImportLine { counts: line(say, ImportPhase::Done).counts, ..refused_line(say) },
        ..running.clone()
    };
    let undoing = ImportPage {
        notice: Some(say("Being undone.")),
        import: line(say, ImportPhase::Undoing),
        ..running.clone()
    };
    let undone = ImportPage {
        notice: Some(say("Undone.")),
        import: ImportLine { kept: 2, ..line(say, ImportPhase::Undone) },
        undone: Some(undone(say)),
        ..running.clone()
    };
    let stopped = || Some(say("the operator cancelled the import"));
    let cancelled = ImportPage {
        import: ImportLine { refusal: stopped(), ..line(say, ImportPhase::Cancelled) },
        ..running.clone()
    };
    let cancelling = ImportPage {
        import: ImportLine { refusal: stopped(), ..line(say, ImportPhase::Undoing) },
        ..running.clone()
    };
    vec![
        sample("import_cancelled", &cancelled),
        sample("import_cancelling", &cancelling),
        sample("import", &done),
        sample("import_running", &running),
        sample("import_waiting", &waiting),
        sample("import_checking", &checking),
        sample("import_refused", &bad),
        sample("import_given_up", &given_up),
        sample("import_undoing", &undoing),
        sample("import_undone", &undone),
    ]
}

fn line(say: Say, phase: ImportPhase) -> ImportLine {
    ImportLine {
        id: "7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48".to_owned(),
        file: say("export.zip"),
        format: Some(say("apple-health")),
        phase,
        percent: 40,
        refusal: None,
        kept: 0,
        by_operator: phase == ImportPhase::Done,
        started: moment(say, "21 November 2026, 09:14", "2026-11-21T08:14:00Z"),
        ended: (phase == ImportPhase::Done)
            .then(|| moment(say, "21 November 2026, 09:15", "2026-11-21T08:15:00Z")),
        counts: vec![
            ImportCounts { kind: "Nights", new: 1204, updated: 2, unchanged: 31 },
            ImportCounts { kind: "Intakes", new: 0, updated: 0, unchanged: 0 },
        ],
        profile_changed: true,
        rejected: 1,
    }
}

fn profile(say: Say) -> ImportProfile {
    let field = |name, label, old, new| ProfileLine { name, label, old: say(old), new: say(new) };
    ImportProfile {
        changed: vec![field("blood_type", "Blood type", "not set", "A+")],
        proposed: vec![
            field("birth_date", "Birth date", "1990-05-17", "1991-01-01"),
            field("biological_sex", "Biological sex", "other", "female"),
        ],
    }
}

fn undone(say: Say) -> UndoneLine {
    let at = moment(say, "10 January 2026, 22:20", "2026-01-10T21:20:00Z");
    let by = Some("0b0e1c53-6c0f-4d3a-9a34-2b1f9a1d6a11".to_owned());
    let night = KeptLine { what: say("Night"), at: Some(at), why: "changed later by", by };
    let height = KeptLine { what: say("Height"), at: None, why: "changed since", by: None };
    UndoneLine { removed: 1204, restored: 2, kept: 2, records: vec![night, height] }
}

fn remark(say: Say, place: &str, reason: &str) -> ImportRemark {
    ImportRemark { place: say(place), reason: say(reason) }
}

/// Returns an import that changed only the profile.
fn profile_alone(say: Say) -> ImportLine {
    ImportLine { counts: Vec::new(), rejected: 0, ..line(say, ImportPhase::Done) }
}

fn refused_line(say: Say) -> ImportLine {
    ImportLine {
        counts: Vec::new(),
        profile_changed: false,
        rejected: 0,
        refusal: Some(say("the format of the file is not supported")),
        ..line(say, ImportPhase::Refused)
    }
}
