//! Sleep Cycle: `sleepdata.csv`.
//!
//! The rules are in `README.md` next to this file.

mod clock;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod recording;

use crate::formats::{Format, FormatInfo, TableHeader};
use crate::input::{Fields, Separator, TableFormat, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "sleep-cycle",
    file: "a Sleep Cycle file",
    maker: "Sleep Cycle",
    steps: &[
        "On an iPhone, open your profile in the app, then More, Database and Export Database. On Android, look for the export in the settings.",
        "Save the file sleepdata.csv on the phone.",
        "Upload it.",
    ],
    files: "`sleepdata.csv`",
    result: "nights with totals",
    recognise,
    tables: &[
        TableHeader { needs: &NEEDED_COLUMNS, knows: &KNOWN_COLUMNS, separator: Separator::Semicolon },
        TableHeader { needs: &OTHER_NEEDED_COLUMNS, knows: &KNOWN_COLUMNS, separator: Separator::Semicolon },
    ],
    others: &[],
};

/// Columns that identify the table; the first two have one of these names.
const NEEDED_COLUMNS: [&str; 3] = ["Start", "End", "Sleep Quality"];
const OTHER_NEEDED_COLUMNS: [&str; 3] = ["Went to bed", "Woke up", "Sleep Quality"];
/// Columns that some versions have as well.
const KNOWN_COLUMNS: [&str; 9] = [
    "Time in bed",
    "Time in bed (seconds)",
    "Time asleep (seconds)",
    "Time before sleep (seconds)",
    "Asleep after (seconds)",
    "Awake (seconds)",
    "Dream (seconds)",
    "Light (seconds)",
    "Deep (seconds)",
];
/// Columns of free text, in which a separator may occur; those that are read come before them.
const TEXT_COLUMNS: [&str; 2] = ["Notes", "Sleep Notes"];

fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let has_header = |separator| {
        let header = seen.text().and_then(|text| text.header_with(separator));
        header.is_some_and(|header| is_header(&header))
    };
    if has_header(Separator::Semicolon) {
        return Some(RecognisedFile::table::<SleepCycle<false>>(Format::SleepCycle));
    }
    has_header(Separator::Comma).then(|| RecognisedFile::table::<SleepCycle<true>>(Format::SleepCycle))
}

fn is_header(header: &[String]) -> bool {
    let columns: Vec<String> = header.iter().map(|column| spaced(column)).collect();
    let has_time_in_bed = recording::IN_BED.iter().any(|name| has_columns(&columns, &[name]));
    let has_needed = has_columns(&columns, &NEEDED_COLUMNS) || has_columns(&columns, &OTHER_NEEDED_COLUMNS);
    has_needed && has_time_in_bed
}

/// Returns a column's name with a blank before its unit, which some versions lack.
fn spaced(column: &str) -> String {
    match column.split_once('(') {
        Some((name, unit)) => format!("{} ({unit}", name.trim_end()),
        None => column.to_owned(),
    }
}

/// The table of recordings, with commas or semicolons between columns.
struct SleepCycle<const COMMAS: bool>;

impl<const COMMAS: bool> TableFormat for SleepCycle<COMMAS> {
    const SEPARATOR: Separator = if COMMAS { Separator::Comma } else { Separator::Semicolon };
    const COLUMNS: &'static [&'static str] = &recording::COLUMNS;

    fn is_header(columns: &[String]) -> bool {
        is_header(columns)
    }

    fn columns(header: Vec<String>) -> Vec<String> {
        header.iter().map(|column| spaced(column)).collect()
    }

    /// Accepts rows without the last columns, which the app sometimes omits, and with separators in a note.
    fn accepts_fields(count: usize, columns: &[String]) -> bool {
        let has_text = TEXT_COLUMNS.iter().any(|name| has_columns(columns, &[name]));
        count > 1 && (count < columns.len() || has_text)
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let mut notes = Notes::default();
        let outcome = recording::read(fields, zone, &mut notes);
        items.finish_session(place, notes, outcome);
    }
}

#[cfg(test)]
mod tests;
