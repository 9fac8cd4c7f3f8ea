//! Labels of the NIH Dietary Supplement Label Database: one, a list of them, or what its search returns.
//!
//! The rules are in `docs/import/dsld.md`.

mod label;
mod mapping;

use crate::json::{Document, decode};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::{ImportItem, ImportRefusal, ImportedSupplement};
use label::Label;

/// The most bytes of one label, of which the longest have some 100,000; rows in rows take much more memory.
const LABEL_LIMIT: usize = 1024 * 1024;

/// Reads a document of labels.
pub(crate) struct Dsld {
    document: Document,
}

impl Dsld {
    pub(crate) const fn new(document: Document) -> Self {
        Self { document }
    }
}

impl RecordReader for Dsld {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else {
            return Ok(false);
        };
        let mut notes = Notes::default();
        let place = record.place();
        let supplement = read(record.text, &place, &mut notes);
        let outcome = supplement.map(|supplement| ImportItem::Supplement(Box::new(supplement)));
        items.finish(&place, notes, outcome);
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

fn read(text: &str, place: &str, notes: &mut Notes) -> Result<ImportedSupplement, String> {
    if text.len() > LABEL_LIMIT {
        return Err("a label is longer than 1 MiB".to_owned());
    }
    mapping::read(decode::<Label>(text)?.label(), place, notes)
}

#[cfg(test)]
mod tests;
