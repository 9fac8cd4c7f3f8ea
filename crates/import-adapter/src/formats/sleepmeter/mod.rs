//! Sleepmeter: `sleep_history_*.csv`, a diary of nights and naps.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod line;
mod night;
mod reader;

use crate::formats::{Format, FormatInfo, TableHeader};
use crate::input::Separator;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use reader::DiaryReader;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "sleepmeter",
    file: "a Sleepmeter file",
    maker: "Sleepmeter",
    steps: &[
        "In the app, open the menu with the three dots, then Manage Database.",
        "Choose to export to CSV on the SD card.",
        "Upload the file sleep_history_….csv from the folder sleepmeter/history.",
    ],
    files: "`sleep_history_*.csv`",
    result: "nights and naps with stages (asleep, awake)",
    recognise,
    tables: &[TableHeader { needs: &COLUMNS, knows: &[], separator: Separator::Comma }],
    others: &[],
};

/// Columns that are read.
const COLUMNS: [&str; 5] = ["wake", "sleep", "bedtime", "holes", "type"];

/// Headers of the tables of a person's names, of which any may precede the table of sleep.
const TABLES_OF_NAMES: [&[&str]; 3] = [
    &["custom_aid_id", "class", "name"],
    &["custom_hindrance_id", "class", "name"],
    &["custom_tag_id", "name"],
];

fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let text = seen.text()?;
    let header = text.header()?;
    let is_of_names = TABLES_OF_NAMES.iter().any(|columns| columns.iter().eq(header.iter()));
    (is_of_names || text.has_columns(&COLUMNS))
        .then(|| RecognisedFile::new(Format::Sleepmeter, |bytes, _| DiaryReader::new(bytes)))
}

#[cfg(test)]
mod tests;
