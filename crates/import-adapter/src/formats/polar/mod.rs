//! Polar: `sleep_result_*.json` of the account's export, and nights of its API.
//!
//! The rules are in `README.md` next to this file.

mod change;
mod duration;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod night;
mod recognition;

use crate::formats::FormatInfo;
use crate::json::{Record, decode};
use crate::source::{Items, Notes};
use domain::time::TimeZone;
use members::Night;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "polar",
    file: "a Polar file",
    maker: "Polar",
    steps: &[
        "Sign in at account.polar.com and ask for a download of your data.",
        "Wait for the email, then download the ZIP file from its link.",
        "Upload the ZIP file as it is.",
    ],
    files: "`sleep_result_*.json`, or the zip; nights of AccessLink",
    result: "nights with stages",
    recognise: recognition::recognise,
    tables: &[],
    others: &[],
};

/// Adds the session of a night.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let mut notes = Notes::default();
    let outcome = decode::<Night>(record.text).and_then(|night| night::read(&night, zone, &mut notes));
    items.finish_session(&record.place(), notes, outcome);
}

#[cfg(test)]
mod tests;
