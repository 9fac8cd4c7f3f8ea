//! Where pages of one person's sessions began when they were last read.

use super::{RecordsState, SleepLandmark, SleepPage, SleepPageQuery, SleepPosition};
use domain::paging::SortDirection;
use domain::time::DateRange;

/// What was learnt of one person's sessions from the pages that were read of them.
///
/// All of it is of one state of the records: what was learnt before is forgotten when a page tells another one. So a
/// landmark that no longer holds is given once at most, and the store notices that.
#[derive(Default)]
pub struct SleepLandmarks {
    state: Option<RecordsState>,
    /// The one that was not seen for longest comes first.
    places: Vec<Place>,
}

#[derive(PartialEq, Eq)]
struct Place {
    range: DateRange,
    sort: SortDirection,
    skipped: i64,
    position: SleepPosition,
}

impl SleepLandmarks {
    /// How many places are kept of a person, 64 bytes each. A page far from all of them costs what it would without.
    pub const CAPACITY: usize = 16;

    /// Returns the last known place of the query's range and direction that is not beyond the beginning of its page.
    pub fn nearest(&self, query: &SleepPageQuery) -> Option<SleepLandmark> {
        let offset = query.page.offset();
        let state = self.state?;
        let of_list = |place: &&Place| place.range == query.range && place.sort == query.page.sort;
        self.places
            .iter()
            .filter(of_list)
            .filter(|place| place.skipped <= offset)
            .max_by_key(|place| place.skipped)
            .map(|Place { range: _, sort: _, skipped, position }| SleepLandmark {
                skipped: *skipped,
                position: *position,
                state,
            })
    }

    /// Learns where a page began and where the one after it begins; nothing from the first page, or from an empty one.
    pub fn learn(&mut self, query: &SleepPageQuery, page: &SleepPage) {
        let (Some(state), Some(first)) = (page.state, page.rows.first()) else { return };
        if self.state != Some(state) {
            self.places.clear();
            self.state = Some(state);
        }
        let offset = query.page.offset();
        self.note(query, offset, (first.started_at_millis, first.id));
        if let Some(next) = page.next {
            self.note(query, offset.saturating_add(i64::from(query.page.size.get())), next);
        }
    }

    fn note(&mut self, query: &SleepPageQuery, skipped: i64, position: SleepPosition) {
        let place = Place { range: query.range, sort: query.page.sort, skipped, position };
        if let Some(known) = self.places.iter().position(|known| *known == place) {
            self.places.remove(known);
        } else if self.places.len() == Self::CAPACITY {
            self.places.remove(0);
        }
        self.places.push(place);
    }
}

#[cfg(test)]
mod tests;
