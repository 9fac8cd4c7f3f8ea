//! Google Health, formerly Fitbit: tables of its Takeout export, and answers of the Google Health API.
//!
//! The rules are in `README.md` next to this file.

mod account;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod known_logs;
mod placeholder;
mod point;
mod point_session;
mod points;
mod table;
mod table_reader;
mod written_offsets;

pub(super) use account::Account;

use crate::formats::{Format, FormatInfo, OtherTable, TableHeader};
use crate::input::{Separator, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::{FilePreview, Text};
use domain::sleep::Stage;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "google-health",
    file: "a Google Health file",
    maker: "Google Health (Fitbit)",
    steps: &[
        "Open takeout.google.com with the Google account of your watch.",
        "Choose “Deselect all”, then select “Fitbit” or “Google Health”.",
        "Choose “Next step”, then “Export once” as .zip, with the largest size.",
        "When the email arrives, download the ZIP file within seven days.",
        "Upload the ZIP file as it is; if there are several, upload all of them.",
    ],
    files: "`UserSleeps_*.csv` with `UserSleepStages_*.csv`, the Takeout zip, answers of the Google Health API",
    result: "nights with stages",
    recognise,
    tables: &[
        TableHeader { needs: &table::SESSION_COLUMNS, knows: &[], separator: Separator::Comma },
        TableHeader { needs: &table::STAGE_COLUMNS, knows: &[], separator: Separator::Comma },
    ],
    others: &[
        without_nights(&["sleep_score_id", "overall_score"]),
        without_nights(&["exercise_id", "exercise_start", "exercise_end"]),
        without_nights(&["sleep_type", "sleep_start_time", "schedule_variability"]),
        without_nights(&["sleep_start", "sleep_end", "nightly_temperature"]),
        without_nights(&["timestamp", "mean_dba", "max_dba", "min_dba"]),
        without_nights(&["timestamp", "full_sleep_breathing_rate"]),
        without_nights(&["updated_at", "stress_score", "sleep_points"]),
        without_nights(&["date", "readiness_score_value"]),
    ],
};

/// Describes another table of the same export.
const fn without_nights(columns: &'static [&'static str]) -> OtherTable {
    OtherTable {
        columns,
        advice: "this table of a Google Health export contains no nights; import the files UserSleeps and \
            UserSleepStages of the same export, or the whole zip",
    }
}

/// Source of sessions of the account's devices, as in Fitbit's JSON.
const SOURCE: &str = "fitbit";

/// Recognises the tables by their headers, and answers of the API by their members.
fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let Some(header) = seen.text().and_then(Text::header) else { return points::recognise(seen.json()?) };
    if has_columns(&header, &table::STAGE_COLUMNS) {
        return Some(RecognisedFile::new(Format::GoogleHealth, |bytes, context| {
            table_reader::Stages::new(bytes, context.zone)
        }));
    }
    has_columns(&header, &table::SESSION_COLUMNS).then(|| {
        RecognisedFile::new(Format::GoogleHealth, |bytes, context| {
            table_reader::Sessions::new(bytes, context.zone)
        })
    })
}

/// Returns the stage of a word in any case; `None` if it is unknown.
fn stage(word: &str) -> Option<Stage> {
    let word = word.trim().to_ascii_uppercase();
    let short = ["SLEEP_STAGE_TYPE_", "SLEEP_STAGE_"].iter().find_map(|prefix| word.strip_prefix(prefix));
    match short.unwrap_or(&word) {
        "AWAKE" | "WAKE" | "RESTLESS" => Some(Stage::Awake),
        "LIGHT" => Some(Stage::Light),
        "DEEP" => Some(Stage::Deep),
        "REM" => Some(Stage::Rem),
        "ASLEEP" => Some(Stage::Asleep),
        "UNSPECIFIED" => Some(Stage::Unknown),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
