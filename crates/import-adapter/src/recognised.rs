//! A file of a recognised format.

use crate::formats::Format;
use crate::input::{Bytes, Cursor, TableFormat, TableReader};
use crate::json::{Document, DocumentReader, Layout, ReadRecord};
use crate::open::FileContext;
use crate::sketch::Sketch;
use crate::source::RecordReader;
use application::ports::import_source::ImportRefusal;
use std::fmt;
use std::sync::Arc;

type Opener = dyn Fn(Bytes, FileContext) -> Result<Box<dyn RecordReader>, ImportRefusal> + Send + Sync;

/// A file of a recognised format, and how to read it.
#[derive(Clone)]
pub(crate) struct RecognisedFile {
    format: Format,
    opener: Arc<Opener>,
}

impl RecognisedFile {
    /// Takes the format and a constructor of its reader.
    pub(crate) fn new<R: RecordReader + 'static>(
        format: Format,
        opener: impl Fn(Bytes, FileContext) -> Result<R, ImportRefusal> + Send + Sync + 'static,
    ) -> Self {
        let opener = move |bytes, context| {
            opener(bytes, context).map(|reader| Box::new(reader) as Box<dyn RecordReader>)
        };
        Self { format, opener: Arc::new(opener) }
    }

    /// Takes the format of a table.
    pub(crate) fn table<F: TableFormat + 'static>(format: Format) -> Self {
        Self::new(format, |bytes, context| TableReader::<F>::new(bytes, context.zone))
    }

    /// Takes the format and layout of a document of independent records, and how to read one.
    pub(crate) fn document(format: Format, layout: Layout, read: ReadRecord) -> Self {
        Self::new(format, move |bytes, context| {
            Ok(DocumentReader::new(Document::new(Cursor::new(bytes)?, layout), context.zone, read))
        })
    }

    pub(crate) const fn format(&self) -> Format {
        self.format
    }

    /// Starts reading records.
    pub(crate) fn read(
        &self,
        bytes: Bytes,
        context: FileContext,
    ) -> Result<Box<dyn RecordReader>, ImportRefusal> {
        (self.opener)(bytes, context)
    }
}

impl fmt::Debug for RecognisedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RecognisedFile").field(&self.format).finish()
    }
}

/// Returns the layout of the first list that holds records of a format. Each list may be absent, and has a
/// flag for `holds`: whether an empty list is accepted.
pub(crate) fn layout_of_first<const LISTS: usize>(
    lists: [(Option<&Sketch>, Layout, bool); LISTS],
    holds: impl Fn(&Sketch, bool) -> bool,
) -> Option<Layout> {
    let mut lists = lists.into_iter();
    lists.find(|(list, _, empty)| list.is_some_and(|list| holds(list, *empty))).map(|(_, layout, _)| layout)
}
