//! Google Fit: `*_SLEEP.json`, sessions of its Takeout export.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod night;

use crate::formats::{Format, FormatInfo};
use crate::json::{Layout, Record, decode};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use crate::source::{Items, Notes};
use domain::time::TimeZone;
use members::Session;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "google-fit",
    file: "a Google Fit file",
    maker: "Google Fit",
    steps: &[
        "Open takeout.google.com with your Google account.",
        "Choose “Deselect all”, then select “Fit”.",
        "Choose “Next step”, then “Export once” as .zip, with the largest size.",
        "When the email arrives, download the ZIP file and upload it as it is.",
    ],
    files: "`*_SLEEP.json` of the folder of all sessions, the Takeout zip",
    result: "nights with stages (asleep, awake)",
    recognise,
    tables: &[],
    others: &[],
};

/// Activity of a session of sleep.
const SLEEP: &str = "sleep";

/// Recognises a session of sleep; those of other activities have the same members.
fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let sketch = seen.json()?;
    let activity = sketch.member("fitnessActivity").and_then(Sketch::text)?;
    let is_sleep = activity.trim().eq_ignore_ascii_case(SLEEP);
    (is_sleep && (sketch.has("startTime") || sketch.has("endTime")))
        .then(|| RecognisedFile::document(Format::GoogleFit, Layout::Row, read))
}

/// Adds the session of a record.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let place = record.place();
    match decode::<Session>(record.text) {
        Err(reason) => items.reject(&place, reason),
        Ok(session) if session.activity.word().as_deref() != Some(SLEEP) => {
            items.reject(&place, "fitnessActivity is not sleep");
        }
        Ok(session) => {
            let mut notes = Notes::default();
            let outcome = night::read(&session, zone, &mut notes);
            items.finish_session(&place, notes, outcome);
        }
    }
}

#[cfg(test)]
mod tests;
