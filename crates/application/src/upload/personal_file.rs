//! An uploaded file without supplement labels, which all users share.

use crate::ports::import_source::{ImportFile, ImportItem, ImportRefusal, ImportSource, ReadProgress};
use domain::import::FileDigest;

/// A file without its labels.
///
/// All users share one catalogue: a label from one user's file would change the intake of others.
pub(super) struct PersonalFile(pub(super) Box<dyn ImportFile>);

impl ImportFile for PersonalFile {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        Ok(Box::new(PersonalSource { source: self.0.open()?, has_labels: false }))
    }

    fn size(&self) -> Option<u64> {
        self.0.size()
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        self.0.digest()
    }

    fn formats(&self) -> Vec<&'static str> {
        self.0.formats()
    }
}

struct PersonalSource {
    source: Box<dyn ImportSource>,
    /// Whether a label was skipped.
    has_labels: bool,
}

impl ImportSource for PersonalSource {
    fn read_batch(
        &mut self,
        limit: usize,
        progress: ReadProgress<'_>,
    ) -> Result<Vec<ImportItem>, ImportRefusal> {
        loop {
            let items = self.source.read_batch(limit, progress)?;
            let is_the_end = items.is_empty();
            let items: Vec<_> = items.into_iter().filter_map(|item| self.personal(item)).collect();
            // A batch with nothing but labels is not the end of the file.
            if is_the_end || !items.is_empty() {
                return Ok(items);
            }
        }
    }

    fn check(&mut self, progress: ReadProgress<'_>) -> Result<(), ImportRefusal> {
        self.source.check(progress)
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }
}

impl PersonalSource {
    /// Skips labels of the catalogue, and reports the first one as left out. A person's own products are
    /// theirs to upload.
    fn personal(&mut self, item: ImportItem) -> Option<ImportItem> {
        match item {
            ImportItem::Supplement(own) if own.key.owner().is_some() => Some(ImportItem::Supplement(own)),
            ImportItem::Supplement(_) if self.has_labels => None,
            ImportItem::Supplement(_) => {
                self.has_labels = true;
                Some(ImportItem::LabelsLeftOut)
            }
            other => Some(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::import_source::{ImportedSupplement, Note};
    use domain::supplement::{CatalogueKey, SupplementLabel, SupplementLabelFields};
    use std::ops::ControlFlow;

    /// Returns one item per batch.
    struct Source(Vec<ImportItem>);

    impl ImportSource for Source {
        fn read_batch(&mut self, _: usize, _: ReadProgress<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
            Ok(self.0.pop().into_iter().collect())
        }

        fn check(&mut self, _: ReadProgress<'_>) -> Result<(), ImportRefusal> {
            Ok(())
        }

        fn bytes_read(&self) -> u64 {
            0
        }
    }

    fn label(place: &str) -> ImportItem {
        let fields =
            SupplementLabelFields { name: "Magnesium".to_owned(), ..SupplementLabelFields::default() };
        let label = SupplementLabel::new(fields).unwrap();
        let key = CatalogueKey::new("dsld".to_owned(), "17".to_owned()).unwrap();
        let place = place.to_owned();
        ImportItem::Supplement(Box::new(ImportedSupplement {
            place,
            file: 0,
            id: None,
            key,
            label,
            entry_date: None,
        }))
    }

    #[test]
    fn labels_of_an_upload_are_left_out_and_that_is_reported_once() {
        let note = Note { place: "line 9".to_owned(), reason: "unknown member".to_owned(), amount: None };
        let items = vec![ImportItem::Note(note.clone()), label("line 3"), label("line 2"), label("line 1")];
        let mut source = PersonalSource { source: Box::new(Source(items)), has_labels: false };
        let mut next = || source.read_batch(1, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(next(), [ImportItem::LabelsLeftOut]);
        assert_eq!(next(), [ImportItem::Note(note)]);
        assert_eq!(next(), []);
    }
}
