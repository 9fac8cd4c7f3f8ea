//! Sleep as Android: `sleep-export.csv`, alone or in its zip, and answers of its cloud.
//!
//! In the export, each record has its own header row, because the columns after the known ones are times of
//! that night; then comes its data, and sometimes a row of noise levels. The rules are in `README.md` next to
//! this file.

mod clock;
mod cloud;
mod event;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod record;

use crate::formats::{Format, FormatInfo, TableHeader};
use crate::input::{Fields, Separator, TableFormat, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::source::{Items, Notes};
use domain::time::TimeZone;
use record::Record;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "sleep-as-android",
    file: "a Sleep as Android export",
    maker: "Sleep as Android",
    steps: &[
        "In Sleep as Android, look for the backup in the settings and make one.",
        "Share it and save the ZIP file on the phone.",
        "Upload the ZIP file.",
    ],
    files: "`sleep-export.csv`, or the zip; SleepCloud responses",
    result: "nights with stages",
    recognise,
    tables: &[TableHeader { needs: &COLUMNS, knows: &[], separator: Separator::Comma }],
    others: &[],
};

const SOURCE: &str = "sleep as android";

/// Columns that are used.
pub(crate) const COLUMNS: [&str; 6] = ["Id", "Tz", "From", "To", "Sched", "Hours"];

/// Recognises the header of the first record, or the members of a record of the cloud.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    if let Some(sketch) = seen.json() {
        return cloud::recognise(sketch, named);
    }
    seen.text().filter(|text| text.has_columns(&COLUMNS))?;
    Some(RecognisedFile::table::<SleepAsAndroid>(Format::SleepAsAndroid))
}

/// The table of records.
struct SleepAsAndroid;

impl TableFormat for SleepAsAndroid {
    const REPEATS_HEADER: bool = true;
    const COLUMNS: &'static [&'static str] = &COLUMNS;

    fn is_header(columns: &[String]) -> bool {
        columns.first().is_some_and(|first| first.eq_ignore_ascii_case("Id"))
            && has_columns(columns, &COLUMNS)
    }

    /// Returns whether a row holds only noise levels: the known columns are empty.
    fn is_skipped(fields: &Fields<'_>) -> bool {
        COLUMNS.iter().all(|name| fields.get(name).is_none())
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let mut notes = Notes::default();
        let outcome = Record(fields).read(zone, &mut notes);
        items.finish_session(place, notes, outcome);
    }
}

#[cfg(test)]
mod tests;
