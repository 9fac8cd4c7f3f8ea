//! Answers of an API that continue on another page.

use super::{Document, DocumentReader, Layout, ReadRecord};
use crate::input::{Bytes, Cursor};
use crate::open::FileContext;
use crate::sketch::Sketch;
use crate::source::{Items, RecordReader};
use application::ports::import_source::ImportRefusal;

/// A page with records, and the member that names the next one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    layout: Layout,
    /// Member that names the next page, until that was noted; `None` on the last page.
    next: Option<&'static str>,
}

impl Page {
    /// Takes the outline of a file, the layout of its records, and the member that names the next page.
    pub(crate) fn new(sketch: &Sketch, layout: Layout, next: &'static str) -> Self {
        let has_next = sketch.member(next).and_then(Sketch::text).is_some_and(|text| !text.is_empty());
        Self { layout, next: has_next.then_some(next) }
    }

    /// Starts reading.
    pub(crate) fn open(
        self,
        bytes: Bytes,
        context: &FileContext,
        read: ReadRecord,
    ) -> Result<PageReader, ImportRefusal> {
        let document = Document::new(Cursor::new(bytes)?, self.layout);
        Ok(PageReader { records: DocumentReader::new(document, context.zone, read), next: self.next })
    }
}

/// Reads a page record by record, and notes at its end that another one follows.
pub(crate) struct PageReader {
    records: DocumentReader,
    next: Option<&'static str>,
}

impl RecordReader for PageReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let is_read = self.records.read_record(items)?;
        if !is_read && let Some(next) = self.next.take() {
            items.note(next, "another page follows this one; import it as well");
        }
        Ok(is_read)
    }

    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        self.records.check_record()
    }

    fn bytes_read(&self) -> u64 {
        self.records.bytes_read()
    }
}
