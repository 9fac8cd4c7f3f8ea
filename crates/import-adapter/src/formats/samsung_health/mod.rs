//! Samsung Health: the tables of sleep of "Download personal data".
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod known;
mod nights;
mod parts;
mod reader;
mod row;

use crate::formats::{Format, FormatInfo, OtherTable};
use crate::input::csv_fields;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use reader::{Kind, Reader};

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "samsung-health",
    file: "a Samsung Health file",
    maker: "Samsung Health",
    steps: &[
        "In Samsung Health, open the settings and tap “Download personal data”.",
        "Wait until the download is complete.",
        "In the phone’s app for files, open Download, then Samsung Health.",
        "Compress the folder whose name begins with samsunghealth.",
        "Upload the ZIP file.",
    ],
    files: "the tables of sleep, of its stages and of combined nights, or the zip",
    result: "nights with stages",
    recognise,
    tables: &[],
    others: &OTHERS,
};

const OTHERS: [OtherTable; 6] = [
    other(&["com.samsung.shealth.sleep_goal"], "this is Samsung Health's table of goals, not of sleep"),
    other(&["com.samsung.shealth.sleep_data"], RAW),
    other(&["com.samsung.shealth.sleep_raw_data"], RAW),
    other(&["com.samsung.shealth.sleep_snoring"], "this is Samsung Health's table of snoring, not of sleep"),
    other(
        &["start_time", "end_time", "time_offset", "datauuid"],
        "this is a table of a Samsung account, or one of Samsung Health without its first line; use Download \
            personal data in the Samsung Health app",
    ),
    other(
        &["com.samsung.health.sleep.start_time", "com.samsung.health.sleep.end_time"],
        "this table of Samsung Health has lost its first line; upload the file as the app wrote it",
    ),
];

const RAW: &str = "this is Samsung Health's table of raw data of sleep, whose values are in other files; import \
    the files com.samsung.shealth.sleep and com.samsung.health.sleep_stage of the same export";

const fn other(columns: &'static [&'static str], advice: &'static str) -> OtherTable {
    OtherTable { columns, advice }
}

/// Recognises the name of a table in the first line.
fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let title = csv_fields(seen.text()?.first_line())?;
    let kind = Kind::of_table(title.first()?).filter(|_| title.len() > 1)?;
    Some(RecognisedFile::new(Format::SamsungHealth, move |bytes, context| {
        Reader::new(kind, bytes, context.zone)
    }))
}

#[cfg(test)]
mod tests;
