//! Merges overlapping entries into one timeline.

use super::{StageEntry, TimeInBed};
use chrono::{DateTime, Utc};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rank of an entry among those that overlap: priority, then earlier start, later end, and position in the
/// sorted list, which separates equal entries.
type Rank = (u8, Reverse<DateTime<Utc>>, DateTime<Utc>, Reverse<usize>);

/// Sweeps over all starts and ends in O(n log n) and returns disjoint pieces in time order.
///
/// Each piece is a part of one source entry, so pieces of different entries are never merged.
pub(super) fn flatten(entries: Vec<StageEntry>, time_in_bed: &TimeInBed) -> Vec<StageEntry> {
    let mut entries: Vec<_> = entries.into_iter().filter_map(|entry| entry.clipped(time_in_bed)).collect();
    entries.sort_by_key(|entry| (entry.start(), Reverse(entry.stage().priority()), Reverse(entry.end())));
    let mut waiting = entries.iter().enumerate().peekable();
    let mut covering: BinaryHeap<Rank> = BinaryHeap::new();
    let mut pieces = Pieces::default();
    let bounds = bounds_of(&entries);
    for (&from, &to) in bounds.iter().zip(bounds.iter().skip(1)) {
        while let Some((place, entry)) = waiting.next_if(|(_, entry)| entry.start() <= from) {
            covering.push((entry.stage().priority(), Reverse(entry.start()), entry.end(), Reverse(place)));
        }
        while covering.peek().is_some_and(|&(_, _, end, _)| end <= from) {
            covering.pop();
        }
        let winner = covering.peek().map(|&(_, _, _, Reverse(place))| place);
        if let Some((place, entry)) = winner.and_then(|place| Some((place, entries.get(place)?))) {
            pieces.add(place, entry.starting_at(from).ending_at(to));
        }
    }
    pieces.done
}

/// Returns every instant at which the winning entry may change, sorted, without duplicates.
fn bounds_of(entries: &[StageEntry]) -> Vec<DateTime<Utc>> {
    let mut bounds: Vec<_> = entries.iter().flat_map(|entry| [entry.start(), entry.end()]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

/// Collects pieces and merges a piece with the previous one if both belong to the same entry and touch.
#[derive(Default)]
struct Pieces {
    done: Vec<StageEntry>,
    last_place: Option<usize>,
}

impl Pieces {
    fn add(&mut self, place: usize, piece: StageEntry) {
        match self.done.last_mut() {
            Some(last) if self.last_place == Some(place) && last.end() == piece.start() => {
                *last = last.ending_at(piece.end());
            }
            _ => self.done.push(piece),
        }
        self.last_place = Some(place);
    }
}
