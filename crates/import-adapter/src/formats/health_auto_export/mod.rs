//! Health Auto Export: JSON that the app for iOS exports, or sends to a web address.
//!
//! The rules are in `README.md` next to this file.

mod dose;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod point;
mod reader;

use crate::formats::{Format, FormatInfo};
use crate::input::Cursor;
use crate::json::LooseScalar;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use chrono::{DateTime, Utc};
use domain::time::UtcOffset;
use reader::Reader;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "health-auto-export",
    file: "a Health Auto Export file",
    maker: "Health Auto Export (iPhone)",
    steps: &[
        "In the app, choose a manual export of sleep analysis, or of medications, as JSON.",
        "Choose not to summarize the data: then nights have stages.",
        "Save the file, then upload it here.",
    ],
    files: "JSON of sleep analysis, detailed or summarized, and of medications",
    result: "nights with stages, or with totals; intakes",
    recognise,
    tables: &[],
    others: &[],
};

/// Source of sessions whose device is not stated.
const SOURCE: &str = "health auto export";

const METRICS: &str = "metrics";
const MEDICATIONS: &str = "medications";
/// Lists without anything to import.
const OTHER_LISTS: [&str; 6] =
    ["workouts", "stateOfMind", "symptoms", "cycleTracking", "ecg", "heartRateNotifications"];

/// Recognises the lists of `data` by the first element of each; any metric may come first.
fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let data = seen.json()?.member("data")?;
    let is_recognised = named && matches!(data, Sketch::Object(_)) || is_data(data);
    is_recognised.then(|| {
        RecognisedFile::new(Format::HealthAutoExport, |bytes, context| {
            Ok(Reader::new(Cursor::new(bytes)?, context.user_id))
        })
    })
}

fn is_data(data: &Sketch) -> bool {
    let has_list = |name: &str, holds: fn(&Sketch) -> bool| match data.member(name) {
        Some(Sketch::List(first)) => first.as_deref().is_none_or(holds),
        _ => false,
    };
    // In a long first metric, its name may be beyond the outline.
    let is_metric = |first: &Sketch| {
        let has_name = first.member("name").is_none_or(|name| name.text().is_some());
        has_name && matches!(first.member("data"), Some(Sketch::List(_)))
    };
    let is_dose = |first: &Sketch| first.has("displayText") && first.has("status");
    has_list(METRICS, is_metric)
        || has_list(MEDICATIONS, is_dose)
        || OTHER_LISTS.iter().any(|name| has_list(name, |_| true)) && has_only_known_lists(data)
}

fn has_only_known_lists(data: &Sketch) -> bool {
    data.names().iter().all(|name| [METRICS, MEDICATIONS].contains(name) || OTHER_LISTS.contains(name))
}

/// Forms of a time: by the phone's setting, the hours count to 24 or to 12.
const TIME_FORMS: [&str; 2] = ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %I:%M:%S %p %z"];

/// Parses a member that is a time with its offset, or returns what is wrong with it.
fn time(name: &str, value: &LooseScalar) -> Result<(DateTime<Utc>, Option<UtcOffset>), String> {
    if value.is_blank() {
        return Err(format!("{name} is missing"));
    }
    // Apple writes a narrow no-break space before AM and PM.
    let words = value.as_str().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let read = |text: String| TIME_FORMS.iter().find_map(|form| DateTime::parse_from_str(&text, form).ok());
    let read = words.and_then(read);
    let offset = read.and_then(|read| UtcOffset::from_seconds(read.offset().local_minus_utc()));
    let time = read.zip(offset).map(|(read, offset)| (read.to_utc(), Some(offset)));
    time.ok_or_else(|| format!("{name} is not a time such as 2026-01-10 23:05:00 +0100"))
}

#[cfg(test)]
mod tests;
