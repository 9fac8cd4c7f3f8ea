//! Fitbit's sleep logs: JSON of Google Takeout and of the API (all versions), and the web export's CSV.
//!
//! The rules are in `docs/import/fitbit.md`.

mod clock;
mod log;
mod minute;
mod recognition;
mod session;
mod stage;
mod totals;
mod web_clock;
mod web_export;

pub(crate) use recognition::recognise;
pub(crate) use web_export::{KNOWN_COLUMNS, NEEDED_COLUMNS};

use crate::json::{Record, decode};
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// Source of these sessions.
const SOURCE: &str = "fitbit";

/// Adds the session of a sleep log.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let mut notes = Notes::default();
    let outcome = decode(record.text).and_then(|log| session::read(&log, zone, &mut notes));
    items.finish_session(&record.place(), notes, outcome);
}

#[cfg(test)]
mod tests;
