//! Notes that an import has once, with a count.

use crate::source::Items;

/// Counts of notes, each with the place of the first record that it concerns.
#[derive(Debug, Default)]
pub(crate) struct Tally(Vec<Counted>);

#[derive(Debug)]
struct Counted {
    reason: &'static str,
    file: u32,
    place: String,
    count: usize,
}

impl Tally {
    /// Counts a record of this file and place.
    pub(crate) fn add(&mut self, reason: &'static str, file: u32, place: &str) {
        match self.0.iter_mut().find(|counted| counted.reason == reason) {
            Some(counted) => counted.count = counted.count.saturating_add(1),
            None => self.0.push(Counted { reason, file, place: place.to_owned(), count: 1 }),
        }
    }

    /// Emits a note; returns its file, `None` if there is none left.
    pub(crate) fn emit(&mut self, items: &mut Items) -> Option<u32> {
        let Counted { reason, file, place, count } = self.0.pop()?;
        items.note_count(&place, reason, count);
        Some(file)
    }
}
