//! Intakes of supplements: Restwell's own CSV.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod intake;

use crate::formats::{Format, FormatInfo, TableHeader};
use crate::input::{Fields, Separator, TableFormat, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::source::{Items, Notes};
use application::ports::import_source::ImportItem;
use domain::time::TimeZone;
use intake::{CREATED_AT, Intake, SERVINGS, SUPPLEMENT_ID, UPC};

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "intake-csv",
    file: "a table of intakes (intake-csv)",
    maker: "Table of intakes",
    steps: &["Upload a CSV file with one intake of a supplement on each line."],
    files: "CSV: when, what, how many servings",
    result: "intakes",
    recognise,
    tables: &[TableHeader { needs: &NEEDED_COLUMNS, knows: &PRODUCT_COLUMNS, separator: Separator::Comma }],
    others: &[],
};

/// Required columns, besides at least one that identifies the supplement.
pub(crate) const NEEDED_COLUMNS: [&str; 2] = [CREATED_AT, SERVINGS];
pub(crate) const PRODUCT_COLUMNS: [&str; 2] = [UPC, SUPPLEMENT_ID];
const KNOWN_COLUMNS: [&str; 4] = [CREATED_AT, SERVINGS, UPC, SUPPLEMENT_ID];

/// Recognises the header: a time, servings, and a column that identifies the supplement.
pub(crate) fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    seen.text().and_then(crate::seen::Text::header).filter(|columns| is_header(columns))?;
    Some(RecognisedFile::table::<IntakeCsv>(Format::IntakeCsv))
}

/// Returns whether a line is the header with semicolons, as spreadsheets of many countries write it.
pub(crate) fn is_header_with_semicolons(line: &str) -> bool {
    let columns: Vec<String> =
        line.split(';').map(|column| column.trim().trim_matches('"').to_owned()).collect();
    is_header(&columns)
}

/// Advice for such a table.
pub(crate) const SEMICOLONS: &str = "this is a table of intakes with semicolons between columns; save it \
    with commas between columns and decimal points in numbers";

fn is_header(columns: &[String]) -> bool {
    has_columns(columns, &NEEDED_COLUMNS)
        && PRODUCT_COLUMNS.iter().any(|column| has_columns(columns, &[*column]))
}

/// The table of intakes.
struct IntakeCsv;

impl TableFormat for IntakeCsv {
    const COLUMNS: &'static [&'static str] = &KNOWN_COLUMNS;

    fn is_header(columns: &[String]) -> bool {
        is_header(columns)
    }

    fn note_header(columns: &[String], place: &str, items: &mut Items) {
        let is_known = |column: &str| KNOWN_COLUMNS.iter().any(|name| name.eq_ignore_ascii_case(column));
        let unknown = columns.iter().filter(|column| !is_known(column)).count();
        if unknown > 0 {
            items.note_count(place, "unknown columns were skipped", unknown);
        }
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let mut notes = Notes::default();
        let outcome = Intake(fields).log(place, zone, &mut notes).map(ImportItem::Log);
        items.finish(place, notes, outcome);
    }
}

#[cfg(test)]
mod tests;
