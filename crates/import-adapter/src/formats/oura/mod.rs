//! Oura: sleep documents of its API, versions 1 and 2, and of its export.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod phases;
mod recognition;
mod session;

use crate::formats::FormatInfo;
use crate::json::{Record, decode};
use crate::source::{Items, Notes};
use domain::time::TimeZone;
use members::Period;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "oura",
    file: "an Oura file",
    maker: "Oura",
    steps: &["In your Oura account on the web, export your data.", "Upload the JSON file."],
    files: "API responses (1 and 2), the full export",
    result: "nights with stages",
    recognise: recognition::recognise,
    tables: &[],
    others: &[],
};

/// Adds the session of a sleep document.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let place = record.place();
    let period = match decode::<Period>(record.text) {
        Ok(period) => period,
        Err(reason) => return items.reject(&place, reason),
    };
    if let Some(why) = period.is_no_sleep() {
        return items.note(&place, why);
    }
    let mut notes = Notes::default();
    let outcome = session::read(&period, zone, &mut notes);
    items.finish_session(&place, notes, outcome);
}

#[cfg(test)]
mod tests;
