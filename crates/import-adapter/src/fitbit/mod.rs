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

use crate::json::{Document, decode};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::{ImportItem, ImportRefusal, ImportedSession};
use domain::sleep::{InvalidSleepSource, SleepRecord, SleepSource};
use domain::time::TimeZone;

/// Reads a document of sleep logs.
pub(crate) struct FitbitJson {
    document: Document,
    zone: TimeZone,
}

impl FitbitJson {
    pub(crate) const fn new(document: Document, zone: TimeZone) -> Self {
        Self { document, zone }
    }
}

impl RecordReader for FitbitJson {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else {
            return Ok(false);
        };
        let mut notes = Notes::default();
        let place = record.place();
        let outcome = decode(record.text).and_then(|log| session::read(&log, self.zone, &mut notes));
        items.finish(&place, notes, outcome.map(|record| item(&place, record)));
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

/// Source name of these sessions.
fn source() -> Result<SleepSource, InvalidSleepSource> {
    SleepSource::parse("fitbit")
}

fn item(place: &str, record: SleepRecord) -> ImportItem {
    let place = place.to_owned();
    ImportItem::Session(Box::new(ImportedSession { place, id: None, record, updated_at: None }))
}

#[cfg(test)]
mod tests;
