//! Records that form sessions together, also those of several files of an import.

use crate::formats::Format;
use crate::segments::Segments;
use crate::source::Items;
use std::any::Any;

/// Records of one format whose sessions are known after the last file.
pub(crate) trait Collection: Any + Send {
    /// Sets the number of the file that contains the records that are added next.
    fn begin_file(&mut self, file: u32);

    /// Emits the next session; returns the file of its first record, `None` at the end.
    fn next_session(&mut self, items: &mut Items) -> Option<u32>;
}

impl Collection for Segments {
    fn begin_file(&mut self, file: u32) {
        Self::begin_file(self, file);
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        Self::next_session(self, items)
    }
}

/// The collections of an import, in the order of their first files.
#[derive(Default)]
pub(crate) struct Collections {
    file: u32,
    all: Vec<(Format, Box<dyn Collection>)>,
}

impl Collections {
    /// Sets the number of the file that contains the records that are added next.
    pub(crate) fn begin_file(&mut self, file: u32) {
        self.file = file;
        for (_, collection) in &mut self.all {
            collection.begin_file(file);
        }
    }

    /// Exchanges a reader's collection for that of the other files of its format, which is `empty` before the
    /// first.
    pub(crate) fn exchange<C: Collection>(&mut self, format: Format, own: &mut C, empty: fn() -> C) {
        if self.find::<C>(format).is_none() {
            let mut fresh = empty();
            fresh.begin_file(self.file);
            self.all.push((format, Box::new(fresh)));
        }
        if let Some(stored) = self.find(format) {
            std::mem::swap(stored, own);
        }
    }

    fn find<C: Collection>(&mut self, format: Format) -> Option<&mut C> {
        let mut of_format = self.all.iter_mut().filter(|(other, _)| *other == format);
        of_format.find_map(|(_, stored)| (stored.as_mut() as &mut dyn Any).downcast_mut())
    }

    /// Emits the next session; returns the file of its first record, `None` at the end.
    pub(crate) fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        self.all.iter_mut().find_map(|(_, collection)| collection.next_session(items))
    }
}
