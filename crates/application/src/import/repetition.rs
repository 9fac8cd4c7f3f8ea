//! Records that one import contains more than once, or with a key that is none.

use crate::model::import_report::Rejection;

/// What became of a repeated record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// One of the two is stored.
    Repeated,
    /// An overlapping session of an earlier import or file is kept.
    Kept,
    /// Its id or key belongs to an earlier, different one; it was stored without.
    Ambiguous,
}

impl Repetition {
    /// Returns the note on the record at this location.
    pub(super) fn note(self, place: &str) -> Rejection {
        let reason = match self {
            Self::Repeated => {
                "this import has another record of the same night or key; one of them was stored"
            }
            Self::Kept => "not stored: an overlapping session of the same source is kept",
            Self::Ambiguous => {
                "its id occurs in this import for another record; it was stored without the id"
            }
        };
        Rejection { place: place.to_owned(), reason: reason.to_owned() }
    }
}
