//! WHOOP: `sleeps.csv` of its export, with column names in the language of the account, and answers of its
//! API.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod night;
mod responses;
mod sleep;
mod translated;

use crate::formats::{Format, FormatInfo, OtherTable, TableHeader};
use crate::input::{Fields, Separator, TableFormat, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::{FilePreview, Text};
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "whoop",
    file: "a WHOOP file",
    maker: "WHOOP",
    steps: &[
        "In the WHOOP app, open the settings and look for the export of your data (its name may differ).",
        "Wait for the email, then download the ZIP file from its link.",
        "Upload the ZIP file as it is.",
    ],
    files: "`sleeps.csv`, or the zip; API responses (1 and 2)",
    result: "nights with totals",
    recognise,
    tables: &[TableHeader { needs: &COLUMNS, knows: &[], separator: Separator::Comma }],
    others: &[
        OtherTable {
            columns: &["Cycle start time", "Recovery score %"],
            advice: "this is WHOOP's table of cycles (physiological_cycles.csv), which contains no sleep sessions; \
                import sleeps.csv from the same export",
        },
        OtherTable {
            columns: &["Cycle start time", "Workout start time"],
            advice: "this is WHOOP's table of workouts (workouts.csv), which contains no sleep; import sleeps.csv \
                from the same export",
        },
        OtherTable {
            columns: &["Cycle start time", "Question text"],
            advice: "this is WHOOP's journal (journal_entries.csv), which contains no sleep; import sleeps.csv from \
                the same export",
        },
    ],
};

/// Columns that only this table combines: the cycles have no `Nap`.
pub(crate) const COLUMNS: [&str; 5] =
    ["Cycle start time", "Cycle timezone", "Sleep onset", "Wake onset", "Nap"];

/// Recognises the header of the table of sleeps, or the members of a sleep of the API.
fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    if let Some(sketch) = seen.json() {
        return responses::recognise(sketch, named);
    }
    seen.text().and_then(Text::header).filter(|header| Whoop::is_header(header))?;
    Some(RecognisedFile::table::<Whoop>(Format::Whoop))
}

fn is_english(header: &[String]) -> bool {
    has_columns(header, &COLUMNS)
}

/// The table of sleeps.
struct Whoop;

impl TableFormat for Whoop {
    const COLUMNS: &'static [&'static str] = &night::COLUMNS;

    fn is_header(columns: &[String]) -> bool {
        is_english(columns) || translated::is_header(columns)
    }

    fn columns(header: Vec<String>) -> Vec<String> {
        if is_english(&header) { header } else { translated::columns() }
    }

    fn note_header(columns: &[String], place: &str, items: &mut Items) {
        if !is_english(columns) {
            items.note(place, "the column names are not English; the columns were read by their order");
        }
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let mut notes = Notes::default();
        let outcome = night::read(fields, zone, &mut notes);
        items.finish_session(place, notes, outcome);
    }
}

#[cfg(test)]
mod tests;
