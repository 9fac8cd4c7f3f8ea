//! WHOOP: `sleeps.csv` of its export.
//!
//! The rules are in `docs/import/whoop.md`.

mod night;

use crate::format::Format;
use crate::input::{Fields, TableFormat, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// Columns that only this table combines: the cycles have no `Nap`.
pub(crate) const COLUMNS: [&str; 5] =
    ["Cycle start time", "Cycle timezone", "Sleep onset", "Wake onset", "Nap"];

/// Recognises the header of the table of sleeps.
pub(crate) fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    seen.text().filter(|text| text.has_columns(&COLUMNS))?;
    Some(RecognisedFile::table::<Whoop>(Format::Whoop))
}

/// The table of sleeps.
struct Whoop;

impl TableFormat for Whoop {
    fn is_header(columns: &[String]) -> bool {
        has_columns(columns, &COLUMNS)
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let mut notes = Notes::default();
        let outcome = night::read(fields, zone, &mut notes);
        items.finish_session(place, notes, outcome);
    }
}

#[cfg(test)]
mod tests;
