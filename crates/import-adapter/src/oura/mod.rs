//! Oura: sleep documents of its API, versions 1 and 2, and of its export.
//!
//! The rules are in `docs/import/oura.md`.

mod members;
mod phases;
mod recognition;
mod session;

pub(crate) use recognition::recognise;

use crate::json::{Document, decode};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;
use members::Period;

/// Reads sleep documents, one at a time.
pub(crate) struct OuraJson {
    document: Document,
    zone: TimeZone,
}

impl OuraJson {
    pub(crate) const fn new(document: Document, zone: TimeZone) -> Self {
        Self { document, zone }
    }
}

impl RecordReader for OuraJson {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else {
            return Ok(false);
        };
        let place = record.place();
        let period = match decode::<Period>(record.text) {
            Ok(period) => period,
            Err(reason) => {
                items.reject(&place, reason);
                return Ok(true);
            }
        };
        if let Some(why) = period.is_no_sleep() {
            items.note(&place, why);
            return Ok(true);
        }
        let mut notes = Notes::default();
        let outcome = session::read(&period, self.zone, &mut notes);
        items.finish_session(&place, notes, outcome);
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

#[cfg(test)]
mod tests;
