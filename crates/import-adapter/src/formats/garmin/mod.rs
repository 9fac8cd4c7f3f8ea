//! Garmin: `dailySleepData`, alone or in lists.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod levels;
mod members;
mod nap;
mod night;
mod stamp;

use crate::formats::{Format, FormatInfo};
use crate::json::{Layout, Record, decode};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use crate::source::{Items, Notes};
use domain::time::TimeZone;
use members::{Day, Night, UndetectedNight};

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "garmin",
    file: "a Garmin file",
    maker: "Garmin",
    steps: &[
        "Sign in to your Garmin account on the web and ask for an export of your data.",
        "Wait for the email, then download the ZIP file from its link.",
        "Upload the ZIP file as it is.",
    ],
    files: "days of sleep, from Connect or the export",
    result: "nights with stages",
    recognise,
    tables: &[],
    others: &[],
};

/// Source of these sessions.
const SOURCE: &str = "garmin";

/// Adds the sessions of a day.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let place = record.place();
    match day(record.text) {
        Ok((day, night)) => read_day(&day, &night, zone, &place, items),
        Err(reason) => items.reject(&place, reason),
    }
}

/// Splits a day; in Garmin's export the night's members are the day's own.
fn day(text: &str) -> Result<(Day, Night), String> {
    let mut day: Day = decode(text)?;
    if let Some(night) = day.night.take() {
        return Ok((day, night));
    }
    // Otherwise both would contain the same naps.
    day.naps.0.clear();
    day.nap_list.0.clear();
    Ok((day, decode(text)?))
}

/// Adds the night of a day and its naps.
fn read_day(day: &Day, night: &Night, zone: TimeZone, place: &str, items: &mut Items) {
    let clock = stamp::Clock::new(night, zone);
    let is_measured = night.has_measured_sleep() || !day.levels.0.is_empty();
    match night.unseen() {
        _ if night.has_no_sleep() => items.note(place, "no night was recorded for this day"),
        Some(unseen) if !is_measured => items.note(place, skipped(unseen)),
        unseen => {
            let mut notes = Notes::default();
            if unseen.is_some() {
                notes
                    .add("Garmin did not confirm this night; it was imported because it has stages of sleep");
            }
            let outcome = night::read(night, &day.levels.0, &clock, &mut notes);
            items.finish_session(place, notes, outcome);
        }
    }
    let lists = [&day.naps.0, &day.nap_list.0, &night.naps.0, &night.nap_list.0];
    let naps = lists.into_iter().flatten();
    let count = naps.clone().count();
    for (index, nap) in naps.enumerate() {
        let mut notes = Notes::default();
        let outcome = nap::read(nap, &clock, &mut notes);
        items.finish_session(&format!("{place}, nap {}", index.saturating_add(1)), notes, outcome);
    }
    if count == 0 && night.nap_time_seconds.number().is_some_and(|seconds| seconds > 0.0) {
        items.note(place, "naps that have a length but no times were left out");
    }
}

/// Returns why a day is not a night.
const fn skipped(unseen: UndetectedNight) -> &'static str {
    match unseen {
        UndetectedNight::Unconfirmed => {
            "Garmin found no sleep on this day (UNCONFIRMED); no night was imported"
        }
        UndetectedNight::OffWrist => "the device was not worn (OFF_WRIST); no night was imported",
    }
}

/// Members that only Garmin's days of sleep have. A day of the export without a recording has only `retro`.
const SLEEP_ONLY: [&str; 4] =
    ["dailySleepDTO", "sleepStartTimestampGMT", "sleepWindowConfirmationType", "retro"];

/// Recognises JSON by the members of a day of sleep.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::document(Format::Garmin, layout, read))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    let is_day = |day: &Sketch| SLEEP_ONLY.iter().any(|name| day.has(name));
    match sketch {
        Sketch::List(None) => named.then_some(Layout::List),
        Sketch::List(Some(first)) => is_day(first).then_some(Layout::List),
        single => is_day(single).then_some(Layout::Single),
    }
}

#[cfg(test)]
mod tests;
