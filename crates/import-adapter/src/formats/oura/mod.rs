//! Oura: sleep documents of its API, versions 1 and 2, of its export, and tables of the account's export.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod phases;
mod recognition;
mod session;
mod sleep_model;
mod tables;
mod trends;

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
    steps: &[
        "Open membership.ouraring.com/data-export, sign in and request your data.",
        "Wait until the export is ready, which may take two days.",
        "Download the ZIP file and upload it as it is.",
    ],
    files: "`sleepmodel.csv` of the account’s export, or the zip; `oura_…_trends.csv`; API responses (1 and 2), the \
        full export",
    result: "nights with stages",
    recognise: recognition::recognise,
    tables: &tables::TABLES,
    others: &tables::OTHERS,
};

/// Adds the session of a sleep document.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let place = record.place();
    match decode::<Period>(record.text) {
        Ok(period) => add(&period, zone, &place, items),
        Err(reason) => items.reject(&place, reason),
    }
}

/// Adds the session of the members of a document.
fn add(period: &Period, zone: TimeZone, place: &str, items: &mut Items) {
    if let Some(why) = period.is_no_sleep() {
        return items.note(place, why);
    }
    let mut notes = Notes::default();
    let outcome = session::read(period, zone, &mut notes);
    items.finish_session(place, notes, outcome);
}

#[cfg(test)]
mod tests;
