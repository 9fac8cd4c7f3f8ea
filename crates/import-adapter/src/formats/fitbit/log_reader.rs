//! Reader of sleep logs.

use super::session;
use crate::collections::Collections;
use crate::formats::google_health::Account;
use crate::json::{Document, decode};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;

/// Reads logs, which become sessions immediately. Their times are registered, because the tables of Google
/// Health in the same export, which are read before, contain the same nights with other ids.
pub(super) struct LogReader {
    document: Document,
    zone: TimeZone,
    account: Account,
}

impl LogReader {
    pub(super) fn new(document: Document, zone: TimeZone) -> Self {
        Self { document, zone, account: Account::new(zone) }
    }
}

impl RecordReader for LogReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else { return Ok(false) };
        let mut notes = Notes::default();
        let (zone, account) = (self.zone, &self.account);
        let outcome = decode(record.text).and_then(|log| session::read(&log, zone, account, &mut notes));
        if let Ok(session) = &outcome {
            self.account.add_log(session)?;
        }
        items.finish_session(&record.place(), notes, outcome);
        Ok(true)
    }

    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        Ok(self.document.next_record()?.is_some())
    }

    fn exchange(&mut self, collections: &mut Collections) {
        self.account.exchange(collections);
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}
