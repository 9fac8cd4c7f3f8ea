//! Files made of items.

use crate::ports::import_source::{ImportFile, ImportItem, ImportRefusal, ImportSource, ReadProgress};
use domain::import::{FileDigest, RecordPosition};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file with these items, optionally damaged at its end, that counts how often it was opened.
#[derive(Default)]
pub(super) struct ItemFile {
    items: Vec<ImportItem>,
    damage: Option<ImportRefusal>,
    /// Reported size of each item.
    bytes_each: u64,
    /// Maximum number of items per batch, if less than requested.
    batch: Option<usize>,
    opened: AtomicUsize,
    pub(super) limits: std::sync::Arc<Mutex<Vec<usize>>>,
}

impl ItemFile {
    /// A folder in which each item is a file.
    pub(super) fn new(items: impl IntoIterator<Item = ImportItem>) -> Self {
        Self::of_one_file(items).numbered(|number| number)
    }

    /// A file with these items as its rows.
    pub(super) fn of_one_file(items: impl IntoIterator<Item = ImportItem>) -> Self {
        let file = Self { items: items.into_iter().collect(), bytes_each: 1, ..Self::default() };
        file.numbered(|_| 0)
    }

    fn numbered(mut self, file_of: fn(u32) -> u32) -> Self {
        for (number, item) in (0_u32..).zip(&mut self.items) {
            match item {
                ImportItem::Session(session) => {
                    session.position = RecordPosition { file: file_of(number), number: number.into() };
                }
                ImportItem::Supplement(supplement) => supplement.file = file_of(number),
                ImportItem::Log(log) => log.file = file_of(number),
                _ => {}
            }
        }
        self
    }

    /// Returns the file, damaged after its last item.
    pub(super) fn damaged(self) -> Self {
        let damage = ImportRefusal::Damaged { place: "line 9".to_owned(), reason: "a bracket".to_owned() };
        Self { damage: Some(damage), ..self }
    }

    /// Returns the file with this size per item.
    pub(super) fn of_bytes_each(self, bytes_each: u64) -> Self {
        Self { bytes_each, ..self }
    }

    /// Returns the file, read one item at a time.
    pub(super) fn item_by_item(self) -> Self {
        Self { batch: Some(1), ..self }
    }

    pub(super) fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }
}

impl ImportFile for ItemFile {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        let left = self.items.iter().cloned().collect();
        let limits = std::sync::Arc::clone(&self.limits);
        let (damage, bytes_each, batch) = (self.damage.clone(), self.bytes_each, self.batch);
        Ok(Box::new(ItemSource { left, damage, bytes_each, batch, read: 0, limits }))
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        Ok(FileDigest::from_bytes([0; 32]))
    }

    fn formats(&self) -> Vec<&'static str> {
        vec!["items"]
    }
}

struct ItemSource {
    left: VecDeque<ImportItem>,
    damage: Option<ImportRefusal>,
    bytes_each: u64,
    batch: Option<usize>,
    read: u64,
    limits: std::sync::Arc<Mutex<Vec<usize>>>,
}

impl ImportSource for ItemSource {
    fn read_batch(&mut self, limit: usize, _: ReadProgress<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
        self.limits.lock().unwrap().push(limit);
        let limit = self.batch.unwrap_or(limit).min(self.left.len());
        let batch: Vec<_> = self.left.drain(..limit).collect();
        self.read += self.bytes_each * batch.len() as u64;
        match (batch.is_empty(), self.damage.take()) {
            (true, Some(damage)) => Err(damage),
            (_, damage) => {
                self.damage = damage;
                Ok(batch)
            }
        }
    }

    fn check(&mut self, progress: ReadProgress<'_>) -> Result<(), ImportRefusal> {
        self.read += self.bytes_each * self.left.drain(..).len() as u64;
        if progress(self.read).is_break() {
            return Err(ImportRefusal::Stopped);
        }
        self.damage.take().map_or(Ok(()), Err)
    }

    fn bytes_read(&self) -> u64 {
        self.read
    }
}
