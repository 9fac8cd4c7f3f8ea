//! Labels of the NIH Dietary Supplement Label Database: one, several in sequence, a list, or a search result.
//!
//! The rules are in `docs/import/dsld.md`.

mod label;
mod mapping;

use crate::format::Format;
use crate::input::Cursor;
use crate::json::{Document, Layout, decode};
use crate::recognition::{Recognised, Seen, Sketch};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::{ImportItem, ImportRefusal, ImportedSupplement};
use label::Label;

/// Maximum size of a label in bytes. The longest have about 100,000; nested rows need much more memory.
const LABEL_LIMIT: usize = 1024 * 1024;

/// Recognises one or several labels, a list of labels, and search results.
pub(crate) fn recognise(seen: &Seen, named: bool) -> Option<Recognised> {
    let layout = layout(seen.json()?, named)?;
    Some(Recognised::new(Format::Dsld, move |bytes, _| {
        Ok(Dsld::new(Document::new(Cursor::new(bytes)?, layout)))
    }))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    match (sketch, sketch.member("hits")) {
        (Sketch::List(None), _) => named.then_some(Layout::List),
        (Sketch::List(Some(first)), _) => is_label(first).then_some(Layout::List),
        (_, Some(hits @ Sketch::List(_))) => {
            hits.first().is_none_or(|hit| hit.has("_source")).then_some(Layout::Wrapped("hits"))
        }
        (first, _) => is_label(first).then_some(Layout::Row),
    }
}

fn is_label(label: &Sketch) -> bool {
    label.has("ingredientRows") || label.has("fullName") && label.has("brandName")
}

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

    /// Parses no label: the file is rejected only for invalid JSON.
    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        Ok(self.document.next_record()?.is_some())
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
