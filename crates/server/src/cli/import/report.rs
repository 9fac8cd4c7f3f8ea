//! Report on an imported file.

use super::profile::{self, ProfileLine};
use crate::cli::output::{self, Record};
use application::import::{Counts, ImportRecordsError, ImportReport, Imported, ReportNote};
use application::ports::import_source::{ImportRefusal, Rejection};
use domain::counted;
use domain::deceptive_text::escape_deceptive;
use import_adapter::Format;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// Maximum number of rejections, and of notes, in the text output.
const MAX_SHOWN: usize = 20;

/// JSON line of a file.
#[derive(Serialize)]
struct FileLine<'a> {
    file: String,
    format: &'a str,
    sessions: CountsLine,
    stage_entries: u64,
    supplements: CountsLine,
    logs: CountsLine,
    profile: Vec<ProfileLine>,
    rejected: Vec<RejectionLine<'a>>,
    notes: Vec<NoteLine<'a>>,
    /// Id as in `import list`; null for a dry run.
    import_id: Option<String>,
    /// Whether a dry run stopped before the end of the file; absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
}

/// Counts of the records of one kind.
#[derive(Serialize)]
struct CountsLine {
    new: u64,
    updated: u64,
    unchanged: u64,
}

/// Rejected record.
#[derive(Serialize)]
struct RejectionLine<'a> {
    r#where: &'a str,
    reason: &'a str,
}

/// Values dropped from accepted records.
#[derive(Serialize)]
struct NoteLine<'a> {
    /// First occurrence.
    r#where: &'a str,
    reason: String,
    /// Number of occurrences.
    count: u64,
}

impl From<Counts> for CountsLine {
    fn from(Counts { new, updated, unchanged }: Counts) -> Self {
        Self { new, updated, unchanged }
    }
}

/// Note on a dry run that stopped early.
const PARTIAL: &str = "the dry run stopped before the end of the file, because it remembers each intake log that it would \
                       store: the counts are those of the part that it read";

/// Prints the report of a file.
pub(super) fn print(path: &Path, format: &str, imported: &Imported, json: bool) -> anyhow::Result<()> {
    let report = &imported.report;
    let text = if json { json_line(path, format, imported)? } else { sentences(path, format, imported) };
    output::print_text(&text)?;
    if json {
        let place = display(path);
        let unlisted = unlisted(report.rejected_total, report.rejected.iter().map(|_| 1));
        if unlisted > 0 {
            let records = counted(unlisted, "more record");
            output::note(format!("{place}: {records} {} rejected, but not listed", were(unlisted)));
        }
        let unlisted = self::unlisted(report.notes_total, report.notes.iter().map(|note| note.count));
        if unlisted > 0 {
            output::note(format!("{place}: {} not listed", counted(unlisted, "more note")));
        }
        if imported.is_partial {
            output::note(format!("{place}: {PARTIAL}"));
        }
    }
    Ok(())
}

const fn were(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// Reports a refused file.
pub(super) fn print_refused(
    path: &Path,
    refusal: &ImportRefusal,
    asked_for: Option<Format>,
    json: bool,
) -> anyhow::Result<()> {
    let message = message(path, refusal, asked_for);
    output::note(match refusal {
        ImportRefusal::Missing => message.clone(),
        _ => format!("{}: refused: {message}", display(path)),
    });
    if json {
        output::print(&Record::new().with_text("file", path.display()).with("refused", message), json)?;
    }
    Ok(())
}

/// Returns why a file was refused, with advice for the command line.
fn message(path: &Path, refusal: &ImportRefusal, asked_for: Option<Format>) -> String {
    match refusal {
        ImportRefusal::Missing => format!("there is no file {}", display(path)),
        ImportRefusal::NotThisFormat(text) => format!("{text}; known formats are {}", Format::list()),
        ImportRefusal::OtherFormat { seen, formats } => {
            let named =
                formats.iter().map(|name| format!("--format {name}")).collect::<Vec<_>>().join(" or ");
            if asked_for.is_none() {
                format!("{seen}; if you know the format, specify it with {named}")
            } else {
                format!("{seen}; omit --format, or use {named}")
            }
        }
        ImportRefusal::NoStart(_) => {
            format!("{refusal}; specify it with --start, such as --start 2026-01-10T22:30:00+01:00")
        }
        ImportRefusal::OtherPerson { .. } => format!(
            "{refusal}; specify that person with --user, or remove user_id from the lines to import them for this \
             person deliberately"
        ),
        ImportRefusal::NotInThisWay(_)
        | ImportRefusal::HoldsNoSleep(_)
        | ImportRefusal::Damaged { .. }
        | ImportRefusal::Unreadable(_)
        | ImportRefusal::Stopped => refusal.to_string(),
    }
}

/// Reports a file whose import failed.
pub(super) fn print_error(path: &Path, error: ImportRecordsError, json: bool) -> anyhow::Result<()> {
    let goes_on = matches!(error, ImportRecordsError::Storage(_));
    let error = format!("{:#}", anyhow::Error::new(error));
    let advice = if goes_on { "; import it again to resume" } else { "" };
    output::note(format!("{}: the import was not completed: {error}{advice}", display(path)));
    if json {
        output::print(&Record::new().with_text("file", path.display()).with("error", error), json)?;
    }
    Ok(())
}

/// Returns a path for messages, with deceptive characters and line ends escaped.
fn display(path: &Path) -> String {
    escape_deceptive(&path.to_string_lossy()).into_owned()
}

fn json_line(path: &Path, format: &str, imported: &Imported) -> anyhow::Result<String> {
    let Imported { id, report, is_partial } = imported;
    let line = FileLine {
        file: path.display().to_string(),
        format,
        sessions: report.sessions.into(),
        stage_entries: report.stage_entries,
        supplements: report.supplements.into(),
        logs: report.logs.into(),
        profile: profile::lines(&report.profile),
        rejected: report
            .rejected
            .iter()
            .map(|Rejection { place, reason }| RejectionLine { r#where: place, reason })
            .collect(),
        notes: report
            .notes
            .iter()
            .map(|note| NoteLine { r#where: &note.place, reason: note.text(), count: note.count })
            .collect(),
        import_id: id.map(|id| id.to_string()),
        partial: *is_partial,
    };
    Ok(output::json(&line)? + "\n")
}

fn sentences(path: &Path, format: &str, imported: &Imported) -> String {
    let Imported { id, report, is_partial } = imported;
    let mut text = match id {
        Some(id) => format!("{} ({format}), import {id}\n", display(path)),
        None => format!("{} ({format}): nothing stored, dry run\n", display(path)),
    };
    if *is_partial {
        let _ = writeln!(text, "  {PARTIAL}");
    }
    let kinds = [
        ("sleep sessions", report.sessions),
        ("supplements", report.supplements),
        ("intake logs", report.logs),
    ];
    for (name, Counts { new, updated, unchanged }) in kinds {
        if new + updated + unchanged > 0 {
            let _ = writeln!(text, "  {name}: {new} new, {updated} updated, {unchanged} unchanged");
        }
    }
    if *report == ImportReport::default() {
        text.push_str("  no records\n");
    }
    if report.stage_entries > 0 {
        let _ = writeln!(text, "  stage entries: {}", report.stage_entries);
    }
    text.push_str(&profile::sentences(report));
    let mut push = |kind: &'static str, lines: Vec<(String, u64)>, total: u64| {
        if total > 0 {
            let _ = writeln!(text, "  {kind}: {total}");
            for (line, _) in lines.iter().take(MAX_SHOWN) {
                let _ = writeln!(text, "    {line}");
            }
            let unlisted = unlisted(total, lines.iter().take(MAX_SHOWN).map(|(_, count)| *count));
            if unlisted > 0 {
                let _ = writeln!(text, "    and {unlisted} more");
            }
            if lines.len() > MAX_SHOWN {
                text.push_str("    (--json lists up to 1,000)\n");
            }
        }
    };
    let rejected =
        report.rejected.iter().map(|Rejection { place, reason }| (format!("{place}: {reason}"), 1));
    push("rejected", rejected.collect(), report.rejected_total);
    let note = |note: &ReportNote| (format!("{}: {}", note.places(), note.text()), note.count);
    push("notes", report.notes.iter().map(note).collect(), report.notes_total);
    text
}

/// Returns a total without the listed part.
fn unlisted(total: u64, listed: impl Iterator<Item = u64>) -> u64 {
    listed.fold(total, u64::saturating_sub)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::ImportId;

    fn report() -> ImportReport {
        let rejection = Rejection { place: "record 2".to_owned(), reason: "no start".to_owned() };
        ImportReport {
            sessions: Counts { new: 3, updated: 1, unchanged: 2 },
            stage_entries: 40,
            rejected: vec![rejection],
            rejected_total: 5,
            ..ImportReport::default()
        }
    }

    fn dry(report: ImportReport) -> Imported {
        Imported { id: None, report, is_partial: false }
    }

    #[test]
    fn a_dry_run_that_stopped_early_says_so_above_its_counts() {
        let partial = Imported { is_partial: true, ..dry(report()) };
        let text = sentences(Path::new("a.json"), "fitbit", &partial);
        let (first, counts) = text.split_once("\n  the dry run stopped before the end of the file").unwrap();
        assert_eq!(first, "a.json (fitbit): nothing stored, dry run");
        assert!(counts.contains("\n  sleep sessions: 3 new, 1 updated, 2 unchanged\n"), "{text}");
        let line = |imported| json_line(Path::new("a.json"), "fitbit", &imported).unwrap();
        let whole = line(dry(report()));
        assert_eq!(
            line(partial),
            format!("{},\"partial\":true}}\n", whole.trim_end().strip_suffix('}').unwrap())
        );
    }

    #[test]
    fn a_json_line_has_exactly_the_members_that_are_documented() {
        let zero = r#"{"new":0,"updated":0,"unchanged":0}"#;
        let id = "7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48";
        let expected = format!(
            "{}{}{}",
            r#"{"file":"a b.json","format":"fitbit","sessions":{"new":3,"updated":1,"unchanged":2},"stage_entries":40,"#,
            format_args!(r#""supplements":{zero},"logs":{zero},"profile":[],"#),
            "\"rejected\":[{\"where\":\"record 2\",\"reason\":\"no start\"}],\"notes\":[],\"import_id\":ID}\n",
        );
        let line =
            |id| json_line(Path::new("a b.json"), "fitbit", &Imported { id, ..dry(report()) }).unwrap();
        assert_eq!(line(ImportId::parse(id).ok()), expected.replace("ID", &format!("\"{id}\"")));
        assert_eq!(line(None), expected.replace("ID", "null"));
    }

    #[test]
    fn a_file_name_neither_reorders_a_report_nor_adds_a_line_to_it() {
        let path = Path::new("exp\u{202e}gpj.zip\n  no records");
        let text = sentences(path, "fitbit", &dry(ImportReport::default()));
        let shown = r"exp\u{202e}gpj.zip\n  no records";
        assert_eq!(text, format!("{shown} (fitbit): nothing stored, dry run\n  no records\n"));
        assert_eq!(message(path, &ImportRefusal::Missing, None), format!("there is no file {shown}"));
        let line = json_line(path, "fitbit", &dry(report())).unwrap();
        assert!(line.starts_with(r#"{"file":"exp\u202egpj.zip\n  no records","#), "{line}");
    }

    #[test]
    fn a_refusal_has_advice_for_the_command_line() {
        let message = |refusal| message(Path::new("night.json"), &refusal, None);
        assert_eq!(message(ImportRefusal::Missing), "there is no file night.json");
        let unknown = message(ImportRefusal::NotThisFormat("it is text".to_owned()));
        assert!(unknown.starts_with("it is text; known formats are apple-health, "), "{unknown}");
        assert!(unknown.ends_with(", ndjson") && !unknown.contains(" auto,"), "{unknown}");
        assert!(message(ImportRefusal::NoStart(String::new())).contains("--start 2026-"));
        let other = message(ImportRefusal::OtherPerson { place: "line 1".to_owned() });
        assert!(other.starts_with("line 1: ") && other.contains("--user"), "{other}");
        assert_eq!(message(ImportRefusal::NotInThisWay("no".to_owned())), "no");
    }

    #[test]
    fn advice_on_the_format_never_suggests_the_rejected_option() {
        let message = |refusal: &ImportRefusal, asked| message(Path::new("night.json"), refusal, asked);
        let nothing = ImportRefusal::NotThisFormat("it is text".to_owned());
        for asked in [None, Some(Format::Fitbit)] {
            assert!(!message(&nothing, asked).contains("--format"), "{}", message(&nothing, asked));
        }
        let other =
            ImportRefusal::OtherFormat { seen: "it is a WHOOP file".to_owned(), formats: vec!["whoop"] };
        assert_eq!(
            message(&other, Some(Format::Fitbit)),
            "it is a WHOOP file; omit --format, or use --format whoop"
        );
        let formats = vec!["fitbit", "open-mhealth"];
        let unsure = ImportRefusal::OtherFormat { seen: "it is a JSON object".to_owned(), formats };
        let advice = "it is a JSON object; if you know the format, specify it with --format fitbit or --format open-mhealth";
        assert_eq!(message(&unsure, None), advice);
        let cycles = ImportRefusal::HoldsNoSleep("this is a table of cycles".to_owned());
        assert_eq!(message(&cycles, None), "this is a table of cycles");
    }

    #[test]
    fn a_report_for_people_omits_zeros_and_counts_what_it_does_not_list() {
        let text = sentences(Path::new("a.json"), "fitbit", &dry(report()));
        assert!(text.starts_with(
            "a.json (fitbit): nothing stored, dry run\n  sleep sessions: 3 new, 1 updated, 2 unchanged\n"
        ));
        assert!(text.contains("rejected: 5\n    record 2: no start\n    and 4 more\n"), "{text}");
        assert!(!text.contains("intake logs") && !text.contains("profile"), "{text}");
    }

    #[test]
    fn the_text_lists_twenty_notes_and_counts_the_rest() {
        let note = |number: usize| ReportNote {
            place: format!("record {number}"),
            reason: "cut".to_owned(),
            amount: None,
            count: 1,
        };
        let (notes, notes_total) = ((1..=1_000).map(note).collect::<Vec<_>>(), 1_234);
        let few = ImportReport { notes: notes[..20].to_vec(), notes_total: 20, ..report() };
        let many = ImportReport { notes, notes_total, ..report() };
        let text = sentences(Path::new("a.json"), "fitbit", &dry(many));
        let message = "    record 20: cut\n    and 1214 more\n    (--json lists up to 1,000)\n";
        assert!(text.contains("  notes: 1234\n    record 1: cut\n") && text.ends_with(message), "{text}");
        let text = sentences(Path::new("a.json"), "fitbit", &dry(few));
        assert!(text.ends_with("    record 20: cut\n"), "{text}");
    }

    #[test]
    fn a_repeated_note_is_one_line_with_a_count_in_text_and_json() {
        let note = |place: &str, amount, count| ReportNote {
            place: place.to_owned(),
            reason: "stages were cut".to_owned(),
            amount,
            count,
        };
        let notes = vec![note("record 3", Some(12), 5), note("line 9", None, 1)];
        let imported = dry(ImportReport { notes, notes_total: 10, ..report() });
        let text = sentences(Path::new("a.json"), "fitbit", &imported);
        let message = "  notes: 10\n    record 3 and 4 more: stages were cut: 12\n    line 9: stages were cut\n    and 4 more\n";
        assert!(text.ends_with(message), "{text}");
        let line = json_line(Path::new("a.json"), "fitbit", &imported).unwrap();
        let notes = r#""notes":[{"where":"record 3","reason":"stages were cut: 12","count":5},{"where":"line 9","reason":"stages were cut","count":1}]"#;
        assert!(line.contains(notes), "{line}");
    }

    #[test]
    fn a_file_without_records_is_reported_as_such() {
        let id = ImportId::parse("7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48").ok();
        let text = sentences(Path::new("a.json"), "fitbit", &Imported { id, ..dry(ImportReport::default()) });
        assert_eq!(text, "a.json (fitbit), import 7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48\n  no records\n");
    }
}
