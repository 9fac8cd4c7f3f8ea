//! Documents of independent records.

use super::{Document, Record};
use crate::source::{Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use derive_more::Constructor;
use domain::time::TimeZone;

/// Adds the items of one record; the zone applies to times without an offset.
pub(crate) type ReadRecord = fn(&Record<'_>, TimeZone, &mut Items);

/// Reads a document record by record. A record may be rejected, but never rejects the file.
#[derive(Constructor)]
pub(crate) struct DocumentReader {
    document: Document,
    zone: TimeZone,
    read: ReadRecord,
}

impl RecordReader for DocumentReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else { return Ok(false) };
        (self.read)(&record, self.zone, items);
        Ok(true)
    }

    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        Ok(self.document.next_record()?.is_some())
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}
