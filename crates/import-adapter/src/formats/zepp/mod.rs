//! Zepp, Zepp Life and Amazfit: `SLEEP_*.csv` of the account's export.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod naps;
mod night;
mod stamp;

use crate::formats::{Format, FormatInfo, OtherTable, TableHeader};
use crate::input::{Fields, Separator, TableFormat, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "zepp",
    file: "a Zepp file",
    maker: "Zepp, Zepp Life and Amazfit",
    steps: &[
        "In the Zepp or Zepp Life app, open your profile, then its settings, and choose to export your data.",
        "Choose sleep and the days that you want.",
        "Unpack the ZIP file with the password that you were given.",
        "Open the unpacked folder SLEEP.",
        "Upload the file whose name begins with SLEEP_ and ends with .csv.",
    ],
    files: "`SLEEP_*.csv` of the unpacked export",
    result: "nights with totals, and naps",
    recognise,
    tables: &[TableHeader { needs: &NEEDED_COLUMNS, knows: &KNOWN_COLUMNS, separator: Separator::Comma }],
    others: &[
        OtherTable {
            columns: &["date", "time", "stage", "respiratory_rate"],
            advice: "this is Zepp's table of sleep by the minute (SLEEP_MINUTE), whose dates do not tell the night; \
                import SLEEP_….csv from the same export",
        },
        OtherTable {
            columns: &["date", "start", "stop", "steps"],
            advice: "this is Zepp's table of activity (ACTIVITY_STAGE), which contains no sleep; import SLEEP_….csv \
                from the same export",
        },
        OtherTable {
            columns: &["date", "steps", "runDistance"],
            advice: "this is Zepp's table of activity (ACTIVITY), which contains no sleep; import SLEEP_….csv from \
                the same export",
        },
    ],
};

/// Source of these sessions.
const SOURCE: &str = "zepp";

/// Columns that only this table combines.
const NEEDED_COLUMNS: [&str; 5] = ["date", "deepSleepTime", "shallowSleepTime", "start", "stop"];
/// Columns that some versions have as well.
const KNOWN_COLUMNS: [&str; 4] = ["lastSyncTime", "wakeTime", "REMTime", "naps"];

fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    seen.text().filter(|text| text.has_columns(&NEEDED_COLUMNS))?;
    Some(RecognisedFile::table::<Zepp>(Format::Zepp))
}

/// The table of nights.
struct Zepp;

impl TableFormat for Zepp {
    const COLUMNS: &'static [&'static str] = &night::COLUMNS;

    fn correct_line(line: &mut Vec<u8>) {
        naps::quote_list(line);
    }

    fn is_header(columns: &[String]) -> bool {
        has_columns(columns, &NEEDED_COLUMNS)
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        if night::is_empty(fields) {
            items.note(place, "no night was recorded for this day");
        } else {
            let mut notes = Notes::default();
            let outcome = night::read(fields, zone, &mut notes);
            items.finish_session(place, notes, outcome);
        }
        if let Some(list) = fields.get("naps").filter(|list| *list != NULL) {
            naps::read(list, zone, place, items);
        }
    }
}

/// Absent value, in a field that is not empty.
const NULL: &str = "null";

#[cfg(test)]
mod tests;
