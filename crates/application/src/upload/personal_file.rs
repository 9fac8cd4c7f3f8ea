//! A file as a person may bring it in: without what belongs to everybody.

use crate::ports::import_source::{ImportFile, ImportItem, ImportRefusal, ImportSource, Note, Told};
use domain::import::FileDigest;

/// What is noted once of a file that has labels.
const LABELS: &str =
    "labels of supplements are not taken from an upload, neither this one nor those after it";

/// Returns whether this reason of a note says that the labels of an upload were left out.
pub fn is_of_labels(reason: &str) -> bool {
    reason == LABELS
}

/// A file whose labels stay out of the catalogue.
///
/// The catalogue is the same for everybody: whoever could write labels into it could change what others take.
pub(super) struct PersonalFile(pub(super) Box<dyn ImportFile>);

impl ImportFile for PersonalFile {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        Ok(Box::new(PersonalSource { source: self.0.open()?, has_told: false }))
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

struct PersonalSource {
    source: Box<dyn ImportSource>,
    /// Whether it was told that there are labels: that is told once.
    has_told: bool,
}

impl ImportSource for PersonalSource {
    fn next_batch_telling(&mut self, limit: usize, told: Told<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
        loop {
            let items = self.source.next_batch_telling(limit, told)?;
            let is_the_end = items.is_empty();
            let items: Vec<_> = items.into_iter().filter_map(|item| self.personal(item)).collect();
            // A batch of labels alone is not the end of the file.
            if is_the_end || !items.is_empty() {
                return Ok(items);
            }
        }
    }

    fn check_telling(&mut self, told: Told<'_>) -> Result<(), ImportRefusal> {
        self.source.check_telling(told)
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }
}

impl PersonalSource {
    /// Leaves labels out; in the place of the first there is a note.
    fn personal(&mut self, item: ImportItem) -> Option<ImportItem> {
        match item {
            ImportItem::Supplement(_) if self.has_told => None,
            ImportItem::Supplement(label) => {
                self.has_told = true;
                Some(ImportItem::Note(Note { place: label.place, reason: LABELS.to_owned(), amount: None }))
            }
            other => Some(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::import_source::ImportedSupplement;
    use domain::supplement::{CatalogueKey, SupplementLabel, SupplementLabelFields};
    use std::ops::ControlFlow;

    /// Gives one item a batch.
    struct Source(Vec<ImportItem>);

    impl ImportSource for Source {
        fn next_batch_telling(&mut self, _: usize, _: Told<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
            Ok(self.0.pop().into_iter().collect())
        }

        fn check_telling(&mut self, _: Told<'_>) -> Result<(), ImportRefusal> {
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
        ImportItem::Supplement(Box::new(ImportedSupplement { place, id: None, key, label, entry_date: None }))
    }

    #[test]
    fn labels_of_an_upload_stay_out_and_that_is_told_once_where_the_first_stands() {
        let (place, reason) = ("line 9".to_owned(), "a member is not known".to_owned());
        let other = Note { place, reason, amount: None };
        let items = vec![ImportItem::Note(other.clone()), label("line 3"), label("line 2"), label("line 1")];
        let mut source = PersonalSource { source: Box::new(Source(items)), has_told: false };
        let mut next = || source.next_batch_telling(1, &mut |_| ControlFlow::Continue(())).unwrap();
        let [ImportItem::Note(note)] = <[_; 1]>::try_from(next()).unwrap() else { panic!("a note") };
        assert!(is_of_labels(&note.reason) && note.place == "line 1", "{note:?}");
        let [ImportItem::Note(note)] = <[_; 1]>::try_from(next()).unwrap() else { panic!("a note") };
        assert!(note == other && !is_of_labels(&note.reason), "{note:?}");
        assert_eq!(next(), []);
    }
}
