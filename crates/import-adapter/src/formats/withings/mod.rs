//! Withings: summaries and raw series of its API, and the tables of an account's export.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod recognition;
mod stretch;
mod summary;
mod tables;

use crate::collections::Collections;
use crate::formats::{Format, FormatInfo};
use crate::json::{Document, LooseScalar, decode};
use crate::segments::Segments;
use crate::source::{Invalid, Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, Utc};
use domain::time::TimeZone;
use members::Record;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "withings",
    file: "a Withings file",
    maker: "Withings",
    steps: &[
        "In the Withings app, open your profile, then the settings, and look for the download of your data.",
        "Start the archive, and wait for the email.",
        "Download the ZIP file from its link and upload it as it is.",
    ],
    files: "`sleep.csv` and `raw_…_sleep-state.csv` of the account’s export, or the zip; summaries and raw series of \
        the API",
    result: "nights with totals, or with stages",
    recognise: recognition::recognise,
    tables: &tables::TABLES,
    others: &tables::OTHERS,
};

/// Reads a series: summaries become sessions immediately, intervals after the last file.
pub(crate) struct WithingsJson {
    document: Document,
    zone: TimeZone,
    stretches: Segments,
    workouts: Workouts,
}

/// Workouts, which are not sleep.
#[derive(Debug, Default)]
struct Workouts {
    /// Position of the first one until they are noted.
    first: Option<String>,
    count: usize,
}

impl Workouts {
    fn add(&mut self, place: String) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert(place);
    }

    fn report(&mut self, items: &mut Items) {
        if let Some(place) = self.first.take() {
            items.note_count(&place, "workouts were skipped", self.count);
        }
    }
}

impl WithingsJson {
    pub(crate) fn new(document: Document, zone: TimeZone) -> Self {
        Self { document, zone, stretches: Segments::new("record"), workouts: Workouts::default() }
    }
}

impl RecordReader for WithingsJson {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else {
            self.workouts.report(items);
            return Ok(false);
        };
        let place = record.place();
        match decode::<Record>(record.text) {
            Err(reason) => items.reject(&place, reason),
            Ok(members) if !members.state.is_absent() => {
                let stretch = stretch::read(&members, record.number, self.zone).map_err(Invalid::from);
                let added = stretch.and_then(|(source, segment)| self.stretches.add(&source, &segment));
                added.or_else(|invalid| items.reject_invalid(&place, invalid))?;
            }
            Ok(members) if !members.category.is_absent() => self.workouts.add(place),
            Ok(members) => {
                let mut notes = Notes::default();
                let outcome = summary::read(&members, self.zone, &mut notes);
                items.finish_session(&place, notes, outcome);
            }
        }
        Ok(true)
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::Withings, &mut self.stretches, || Segments::new("record"));
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

/// Parses a timestamp in seconds since 1970.
fn instant(name: &str, value: &LooseScalar) -> Result<DateTime<Utc>, String> {
    if value.is_absent() {
        return Err(format!("{name} is missing"));
    }
    let seconds = value.number().filter(|seconds| seconds.abs() < 1e12);
    #[expect(clippy::cast_possible_truncation, reason = "at most 10^15, checked above")]
    let instant = seconds.and_then(|seconds| DateTime::from_timestamp_millis((seconds * 1000.0) as i64));
    instant.ok_or_else(|| format!("{name} is not a time in seconds"))
}

#[cfg(test)]
mod tests;
