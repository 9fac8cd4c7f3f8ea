//! A file as a person may bring it in: without what belongs to everybody.

use crate::ports::import_source::{ImportFile, ImportItem, ImportRefusal, ImportSource, Rejection, Told};
use domain::import::FileDigest;

/// A file whose labels stay out of the catalogue.
///
/// The catalogue is the same for everybody: whoever could write labels into it could change what others take.
pub(super) struct PersonalFile(pub(super) Box<dyn ImportFile>);

impl ImportFile for PersonalFile {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        Ok(Box::new(PersonalSource(self.0.open()?)))
    }

    fn size(&self) -> Option<u64> {
        self.0.size()
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        self.0.digest()
    }

    fn format(&self) -> &'static str {
        self.0.format()
    }
}

struct PersonalSource(Box<dyn ImportSource>);

impl ImportSource for PersonalSource {
    fn next_batch_telling(&mut self, limit: usize, told: Told<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
        let items = self.0.next_batch_telling(limit, told)?;
        Ok(items.into_iter().map(personal).collect())
    }

    fn check_telling(&mut self, told: Told<'_>) -> Result<(), ImportRefusal> {
        self.0.check_telling(told)
    }

    fn bytes_read(&self) -> u64 {
        self.0.bytes_read()
    }
}

fn personal(item: ImportItem) -> ImportItem {
    match item {
        ImportItem::Supplement(label) => ImportItem::Note(Rejection {
            place: label.place,
            reason: "labels are looked up in the catalogue of this server and not taken from an upload"
                .to_owned(),
        }),
        other => other,
    }
}
