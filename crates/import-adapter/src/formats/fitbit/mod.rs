//! Fitbit's sleep logs: JSON of Google Takeout and of the API (all versions), and the web export's CSV.
//!
//! The rules are in `README.md` next to this file.

mod clock;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod log;
mod log_reader;
mod minute;
mod recognition;
mod session;
mod stage;
mod totals;
mod web_clock;
mod web_export;

use crate::formats::{FormatInfo, OtherTable, TableHeader};

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "fitbit",
    file: "a Fitbit file",
    maker: "Fitbit",
    steps: &[
        "Open takeout.google.com with the Google account of your Fitbit.",
        "Deselect everything, then select Fitbit or Google Health.",
        "Ask for one export as .zip, with the largest size.",
        "When the email arrives, download every ZIP file within seven days.",
        "Upload them all as they are.",
    ],
    files: "Google Takeout, API responses, the CSV of the web export",
    result: "nights with stages",
    recognise: recognition::recognise,
    tables: &[TableHeader {
        needs: &web_export::NEEDED_COLUMNS,
        knows: &web_export::KNOWN_COLUMNS,
        separator: crate::input::Separator::Comma,
    }],
    others: &[OtherTable {
        columns: &["sleep_log_entry_id", "overall_score"],
        advice: "this is Fitbit's table of sleep scores (sleep_score.csv), which contains no nights; import the \
                files sleep-*.json, UserSleeps and UserSleepStages from the same export",
    }],
};

/// Source of these sessions.
const SOURCE: &str = "fitbit";

#[cfg(test)]
mod tests;
