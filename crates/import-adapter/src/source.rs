//! Shared parts of all format readers: batches and the end of the file.

use crate::collections::Collections;
use application::ports::import_source::{
    ImportItem, ImportRefusal, ImportSource, ImportedSession, Note, ReadProgress, Rejection,
};
use domain::import::RecordPosition;
use domain::sleep::SleepRecord;
use std::collections::VecDeque;

/// Number of steps between progress reports. A step is a record, 4 KB for a session.
const PROGRESS_INTERVAL: u32 = 512;

/// Weight that ends a batch. A weight of 1 is about 24 bytes: 3 MB in all, 2,700 nights of 40 stages or 800
/// labels of 13 ingredients.
const BATCH_WEIGHT: usize = 131_072;

/// Returns the memory weight of an item.
fn weight_of(item: &ImportItem) -> usize {
    let parts = match item {
        ImportItem::Session(session) => session.record.hypnogram().len(),
        ImportItem::Supplement(supplement) => supplement.label.ingredients().len().saturating_mul(12),
        ImportItem::Profile(_)
        | ImportItem::Log(_)
        | ImportItem::Rejected(_)
        | ImportItem::Note(_)
        | ImportItem::LabelsLeftOut => 0,
    };
    parts.saturating_add(8)
}

/// Reads one format, one record at a time.
pub(crate) trait RecordReader: Send {
    /// Reads the next record and adds its items, possibly none; `false` at the end.
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal>;
    /// Validates the next record as far as [`Self::read_record`] would reject the file for it; `false` at the
    /// end.
    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        self.read_record(&mut Items::default())
    }
    /// Exchanges the collected records for those of the other files of the import: before the first record
    /// and after the last. Does nothing if no session is formed from several records.
    fn exchange(&mut self, _collections: &mut Collections) {}
    /// Returns the number of bytes read from the file.
    fn bytes_read(&self) -> u64;
}

/// Why a record is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// Rejects the record.
    Record(String),
    /// Rejects the file.
    File(ImportRefusal),
}

impl Invalid {
    /// Adds the name of the member at fault to the rejection of a record.
    pub(crate) fn at(self, member: &str) -> Self {
        match self {
            Self::Record(reason) => Self::Record(format!("{member}: {reason}")),
            file @ Self::File(_) => file,
        }
    }
}

impl From<String> for Invalid {
    fn from(reason: String) -> Self {
        Self::Record(reason)
    }
}

impl From<ImportRefusal> for Invalid {
    fn from(refusal: ImportRefusal) -> Self {
        Self::File(refusal)
    }
}

/// Collects the items of records in order.
#[derive(Debug, Default)]
pub(crate) struct Items {
    waiting: VecDeque<ImportItem>,
}

impl Items {
    pub(crate) fn add(&mut self, item: ImportItem) {
        self.waiting.push_back(item);
    }

    /// Adds the items of another collection.
    pub(crate) fn append(&mut self, mut found: Self) {
        self.waiting.append(&mut found.waiting);
    }

    /// Returns the number of collected items.
    pub(crate) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the collected items.
    pub(crate) fn take(&mut self) -> Vec<ImportItem> {
        self.waiting.drain(..).collect()
    }

    /// Adds the rejection of the record at this position.
    pub(crate) fn reject(&mut self, place: &str, reason: impl Into<String>) {
        self.add(ImportItem::Rejected(Rejection { place: place.to_owned(), reason: reason.into() }));
    }

    /// Adds the rejection of the record at this position; returns that of the file.
    pub(crate) fn reject_invalid(&mut self, place: &str, invalid: Invalid) -> Result<(), ImportRefusal> {
        match invalid {
            Invalid::Record(reason) => {
                self.reject(place, reason);
                Ok(())
            }
            Invalid::File(refusal) => Err(refusal),
        }
    }

    /// Adds a note on the record at this position.
    pub(crate) fn note(&mut self, place: &str, reason: impl Into<String>) {
        self.add(ImportItem::Note(Note { place: place.to_owned(), reason: reason.into(), amount: None }));
    }

    /// Adds a note with a count.
    pub(crate) fn note_count(&mut self, place: &str, reason: &str, count: usize) {
        let (place, amount) = (place.to_owned(), u64::try_from(count).ok());
        self.add(ImportItem::Note(Note { place, reason: reason.to_owned(), amount }));
    }

    /// Appends the items of one of several files; their locations are prefixed with the file's name.
    pub(crate) fn take_over(&mut self, found: Self, name: &str, file: u32) {
        self.waiting.extend(found.waiting.into_iter().map(|mut item| {
            match &mut item {
                ImportItem::Session(session) => session.position.file = file,
                ImportItem::Supplement(supplement) => supplement.file = file,
                ImportItem::Log(log) => log.file = file,
                _ => {}
            }
            if !name.is_empty() {
                let place = match &mut item {
                    ImportItem::Profile(profile) => &mut profile.place,
                    ImportItem::Session(session) => &mut session.place,
                    ImportItem::Supplement(supplement) => &mut supplement.place,
                    ImportItem::Log(log) => &mut log.place,
                    ImportItem::Rejected(rejection) => &mut rejection.place,
                    ImportItem::Note(note) => &mut note.place,
                    ImportItem::LabelsLeftOut => return item,
                };
                *place = format!("{name}: {place}");
            }
            item
        }));
    }

    /// Adds all notes on the record at this position.
    pub(crate) fn add_notes(&mut self, place: &str, notes: Notes) {
        for (reason, amount) in notes.texts {
            self.add(ImportItem::Note(Note { place: place.to_owned(), reason, amount }));
        }
    }

    /// Adds an accepted record with its notes, or its rejection.
    pub(crate) fn finish(&mut self, place: &str, notes: Notes, outcome: Result<ImportItem, String>) {
        match outcome {
            Ok(item) => {
                self.add(item);
                self.add_notes(place, notes);
            }
            Err(reason) => self.reject(place, reason),
        }
    }

    /// Adds an accepted session, or its rejection.
    pub(crate) fn finish_session(&mut self, place: &str, notes: Notes, outcome: Result<SleepRecord, String>) {
        let session = |record| {
            let place = place.to_owned();
            let position = RecordPosition::default();
            ImportItem::Session(Box::new(ImportedSession {
                place,
                position,
                id: None,
                record,
                updated_at: None,
            }))
        };
        self.finish(place, notes, outcome.map(session));
    }
}

/// Notes on one accepted record.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Texts, each with an optional count.
    texts: Vec<(String, Option<u64>)>,
    is_without_names: bool,
}

impl Notes {
    /// Creates notes that omit the names of unknown members: such names come from the sender, and these notes
    /// are stored where nothing of a sender may be.
    pub(crate) fn without_names() -> Self {
        Self { is_without_names: true, ..Self::default() }
    }

    pub(crate) fn add(&mut self, note: impl Into<String>) {
        self.texts.push((note.into(), None));
    }

    /// Adds a note unless it is already present.
    pub(crate) fn add_once(&mut self, note: &str) {
        if !self.texts.iter().any(|(text, _)| text == note) {
            self.add(note);
        }
    }

    /// Notes skipped members, with their names unless these are omitted.
    pub(crate) fn passed_over(&mut self, what: &str, names: &str) {
        self.add(if self.is_without_names { what.to_owned() } else { format!("{what}: {names}") });
    }

    /// Returns the notes as texts.
    pub(crate) fn into_texts(self) -> impl Iterator<Item = String> {
        self.texts.into_iter().map(|(text, amount)| match amount {
            Some(amount) => format!("{text}: {amount}"),
            None => text,
        })
    }

    /// Adds a note with a count, unless that is zero.
    pub(crate) fn count(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.texts.push((what.to_owned(), u64::try_from(count).ok()));
        }
    }
}

/// A file being read.
pub(crate) struct Source {
    reader: Box<dyn RecordReader>,
    /// Records collected by the reader; empty until its end.
    collections: Collections,
    is_read: bool,
    items: Items,
    /// Number of items returned so far.
    returned: u64,
    ended: Option<Result<(), ImportRefusal>>,
}

impl Source {
    pub(crate) fn new(reader: Box<dyn RecordReader>) -> Self {
        let (collections, items) = (Collections::default(), Items::default());
        Self { reader, collections, is_read: false, items, returned: 0, ended: None }
    }

    /// Reads the next record, or emits the next session after the last; `false` at the end.
    fn read_next(&mut self) -> Result<bool, ImportRefusal> {
        if !self.is_read {
            if self.reader.read_record(&mut self.items)? {
                return Ok(true);
            }
            self.is_read = true;
            self.reader.exchange(&mut self.collections);
        }
        Ok(self.collections.next_session(&mut self.items).is_some())
    }
}

/// Gives an item the next number.
fn numbered(mut item: ImportItem, returned: &mut u64) -> ImportItem {
    *returned = returned.saturating_add(1);
    if let ImportItem::Session(session) = &mut item {
        session.position.number = *returned;
    }
    item
}

impl ImportSource for Source {
    fn read_batch(
        &mut self,
        limit: usize,
        progress: ReadProgress<'_>,
    ) -> Result<Vec<ImportItem>, ImportRefusal> {
        let limit = limit.max(1);
        let (mut read, mut weighed, mut weight) = (0_u32, 0, 0_usize);
        while self.ended.is_none() && self.items.waiting.len() < limit && weight < BATCH_WEIGHT {
            read = read.wrapping_add(1);
            if read.is_multiple_of(PROGRESS_INTERVAL) && progress(self.reader.bytes_read()).is_break() {
                return Err(ImportRefusal::Stopped);
            }
            match self.read_next() {
                Ok(true) => {}
                Ok(false) => self.ended = Some(Ok(())),
                Err(refusal) => self.ended = Some(Err(refusal)),
            }
            weight =
                self.items.waiting.iter().skip(weighed).map(weight_of).fold(weight, usize::saturating_add);
            weighed = self.items.waiting.len();
        }
        if let Some(Err(refusal)) = &self.ended {
            return Err(refusal.clone());
        }
        let count = limit.min(self.items.waiting.len());
        let returned = &mut self.returned;
        Ok(self.items.waiting.drain(..count).map(|item| numbered(item, returned)).collect())
    }

    fn check(&mut self, progress: ReadProgress<'_>) -> Result<(), ImportRefusal> {
        let mut read = 0_u32;
        while self.reader.check_record()? {
            read = read.wrapping_add(1);
            if read.is_multiple_of(PROGRESS_INTERVAL) && progress(self.reader.bytes_read()).is_break() {
                return Err(ImportRefusal::Stopped);
            }
        }
        Ok(())
    }

    fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }
}
