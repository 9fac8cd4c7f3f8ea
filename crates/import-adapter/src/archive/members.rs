//! Recognised entries of a folder or an archive, read in sequence.

use super::entry::Entry;
use super::reader::SharedEntryReader;
use super::unpacking::{Bound, Unpacking};
use crate::collections::Collections;
use crate::open::FileContext;
use crate::recognised::RecognisedFile;
use crate::source::{Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use std::sync::Arc;

/// A recognised entry.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) entry: Entry,
    pub(super) recognised: RecognisedFile,
}

/// Reads entries as one file.
pub(super) struct Members {
    all: Arc<[Member]>,
    next: usize,
    current: Option<CurrentEntry>,
    collections: Collections,
    /// Number of entries without a single record of sleep.
    without_sleep: usize,
    note: Option<(&'static str, String)>,
    context: FileContext,
    /// Size on disk of the entries before the current one.
    bytes_before: u64,
    /// Bytes unpacked before the current entry.
    unpacked: Unpacking,
}

/// Current entry.
struct CurrentEntry {
    name: String,
    packed_size: u64,
    bytes: SharedEntryReader,
    reader: Box<dyn RecordReader>,
}

impl Members {
    pub(super) fn new(
        all: Arc<[Member]>,
        note: Option<(&'static str, String)>,
        context: FileContext,
    ) -> Self {
        let (collections, unpacked) = (Collections::default(), Unpacking::default());
        Self {
            all,
            next: 0,
            current: None,
            collections,
            without_sleep: 0,
            note,
            context,
            bytes_before: 0,
            unpacked,
        }
    }

    fn begin(&mut self) -> Result<bool, ImportRefusal> {
        let Some(Member { entry, recognised }) = self.all.get(self.next) else {
            return Ok(false);
        };
        let bound = Bound::new(self.context.most_unpacked).after(self.unpacked.unpacked);
        let bytes = SharedEntryReader::new(entry.open(bound)?);
        let reader = recognised.read(Box::new(bytes.clone()), self.context.clone());
        bytes.get().fault()?;
        let mut reader = reader.map_err(|refusal| within(&entry.name, refusal))?;
        let (name, packed_size) = (entry.name.clone(), entry.packed_size);
        self.next = self.next.saturating_add(1);
        self.collections.begin_file(self.file());
        reader.exchange(&mut self.collections);
        self.current = Some(CurrentEntry { name, packed_size, bytes, reader });
        Ok(true)
    }

    /// Returns the number of the current entry, from 1.
    fn file(&self) -> u32 {
        u32::try_from(self.next).unwrap_or(u32::MAX)
    }

    /// Returns whether an entry other than the current one may contain sleep.
    fn has_other_sleep(&self) -> bool {
        self.without_sleep.saturating_add(1) < self.all.len()
    }

    fn end(&mut self, mut current: CurrentEntry) -> Result<(), ImportRefusal> {
        current.reader.exchange(&mut self.collections);
        let mut bytes = current.bytes.get();
        bytes.read_to_the_end()?;
        self.unpacked = self.unpacked.plus(bytes.unpacking());
        self.bytes_before = self.bytes_before.saturating_add(current.packed_size);
        if self.unpacked.is_a_bomb() { Err(unpacks_too_much()) } else { Ok(()) }
    }

    /// Emits the next session of collected records; `false` at the end.
    fn next_session(&mut self, items: &mut Items) -> bool {
        let mut found = Items::default();
        let Some(file) = self.collections.next_session(&mut found) else { return false };
        let index = usize::try_from(file).ok().and_then(|file| file.checked_sub(1));
        let member = index.and_then(|index| self.all.get(index));
        items.take_over(found, member.map_or("", |member| &member.entry.name), file);
        true
    }

    /// Adds the note on entries that are not read; `false` if there is none.
    fn add_note(&mut self, items: &mut Items) -> bool {
        let Some((place, text)) = self.note.take() else { return false };
        items.note(place, text);
        true
    }
}

impl RecordReader for Members {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(mut current) = self.current.take() else {
            if self.begin()? {
                return Ok(true);
            }
            return Ok(self.next_session(items) || self.add_note(items));
        };
        let mut found = Items::default();
        let outcome = current.reader.read_record(&mut found);
        // A format may mistake an unreadable entry for one that ended.
        current.bytes.get().fault()?;
        items.take_over(found, &current.name, self.file());
        let is_more = match outcome {
            Err(ImportRefusal::HoldsNoSleep(reason)) if self.has_other_sleep() => {
                self.without_sleep = self.without_sleep.saturating_add(1);
                items.note(&current.name, reason);
                false
            }
            outcome => outcome.map_err(|refusal| within(&current.name, refusal))?,
        };
        if is_more {
            self.current = Some(current);
        } else {
            self.end(current)?;
        }
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        let of_current = self
            .current
            .as_ref()
            .map_or(0, |current| current.bytes.get().unpacking().packed.min(current.packed_size));
        self.bytes_before.saturating_add(of_current)
    }
}

/// Rejects an archive that unpacks to too much.
pub(super) fn unpacks_too_much() -> ImportRefusal {
    ImportRefusal::Unreadable("its files unpack to far more than any export does".to_owned())
}

/// Adds the entry's name to an error.
pub(super) fn within(name: &str, refusal: ImportRefusal) -> ImportRefusal {
    if name.is_empty() {
        return refusal;
    }
    match refusal {
        ImportRefusal::NotThisFormat(text) => ImportRefusal::NotThisFormat(format!("{name}: {text}")),
        ImportRefusal::OtherFormat { seen, formats } => {
            ImportRefusal::OtherFormat { seen: format!("{name}: {seen}"), formats }
        }
        ImportRefusal::HoldsNoSleep(text) => ImportRefusal::HoldsNoSleep(format!("{name}: {text}")),
        ImportRefusal::NotInThisWay(text) => ImportRefusal::NotInThisWay(format!("{name}: {text}")),
        ImportRefusal::NoStart(place) => ImportRefusal::NoStart(format!("{name}: {place}")),
        ImportRefusal::OtherPerson { place } => {
            ImportRefusal::OtherPerson { place: format!("{name}: {place}") }
        }
        ImportRefusal::Missing => ImportRefusal::Missing,
        ImportRefusal::Stopped => ImportRefusal::Stopped,
        ImportRefusal::Unreadable(text) => ImportRefusal::Unreadable(format!("{name}: {text}")),
        ImportRefusal::Damaged { place, reason } => {
            ImportRefusal::Damaged { place: format!("{name}: {place}"), reason }
        }
    }
}
