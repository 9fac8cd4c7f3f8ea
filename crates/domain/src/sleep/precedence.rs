//! Which of two records of one import is stored.

use super::SleepRecord;
use crate::import::RecordPosition;

/// Which of a session that an import has stored or found and a further record of the same import is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// The session stays, and the record is not stored.
    Session,
    /// The record may replace the session, as [`reconcile`](super::reconcile) decides.
    Record,
    /// Both are stored.
    Both,
}

impl Precedence {
    /// Compares a session with a further record of the same source, each with the position of its record.
    ///
    /// A later file replaces what an earlier one contains: sessions with the same key, or of which one shares
    /// half of the other. Rows of one file replace each other only if they have the same key or share half of
    /// the longer one: then the one with stages is kept, else the one with totals, else the longer one, else
    /// the later one.
    pub fn of(
        (session, at): (&SleepRecord, RecordPosition),
        (record, record_at): (&SleepRecord, RecordPosition),
    ) -> Self {
        let is_keyed = session.key() == record.key();
        let overlaps = session.time_in_bed().overlaps(record.time_in_bed());
        if !is_keyed && (session.key().is_given() || !overlaps) {
            return Self::Record;
        }
        let is_of_one_file = at.file == record_at.file;
        let is_same = if is_of_one_file { is_same_night } else { is_same_sleep };
        if !is_keyed && !is_same(session, record) {
            return Self::Both;
        }
        if !is_keyed && record.key().is_given() {
            return Self::Record;
        }
        let stays =
            if is_of_one_file { (detail(session), at) > (detail(record), record_at) } else { at > record_at };
        if stays { Self::Session } else { Self::Record }
    }
}

/// Returns whether a key that occurs twice in one import denotes two sessions: their times do not overlap, or
/// in one file are not the same night.
pub fn is_ambiguous_key(
    (session, at): (&SleepRecord, RecordPosition),
    (record, record_at): (&SleepRecord, RecordPosition),
) -> bool {
    if at.file == record_at.file {
        !is_same_night(session, record)
    } else {
        !session.time_in_bed().overlaps(record.time_in_bed())
    }
}

/// Returns whether two records share at least half of the longer one.
fn is_same_night(one: &SleepRecord, other: &SleepRecord) -> bool {
    let (one, other) = (one.time_in_bed(), other.time_in_bed());
    one.covers_half_of(other) && other.covers_half_of(one)
}

/// Returns whether two records share at least half of the shorter one.
pub(super) fn is_same_sleep(one: &SleepRecord, other: &SleepRecord) -> bool {
    let (one, other) = (one.time_in_bed(), other.time_in_bed());
    one.covers_half_of(other) || other.covers_half_of(one)
}

/// Returns whether a record has stages, whether more than the time in bed is known, and its length.
fn detail(record: &SleepRecord) -> (bool, bool, i64) {
    let has_totals = !record.metrics().are_of_time_in_bed_alone();
    (!record.hypnogram().is_empty(), has_totals, record.time_in_bed().millis())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{between, derived_head, given_head};
    use super::*;
    use crate::sleep::{Hypnogram, SleepMetrics, SourceTotals, Stage, StageEntry};
    use Precedence::{Both, Record, Session};
    use std::time::Duration;

    fn derived(start: i64, end: i64) -> SleepRecord {
        SleepRecord::from_stages(derived_head(between(start, end)), Hypnogram::empty()).unwrap()
    }

    fn keyed(key: &str, start: i64, end: i64) -> SleepRecord {
        SleepRecord::from_stages(given_head(key, between(start, end)), Hypnogram::empty()).unwrap()
    }

    fn staged(record: &SleepRecord) -> SleepRecord {
        let frame = record.time_in_bed();
        let entry = StageEntry::new(Stage::Light, frame.start(), frame.end()).unwrap();
        let hypnogram = Hypnogram::new(vec![entry], frame).unwrap();
        SleepRecord::from_stages(record.head().clone(), hypnogram).unwrap()
    }

    fn with_totals(record: &SleepRecord) -> SleepRecord {
        let totals = SourceTotals { asleep: Some(Duration::from_mins(400)), ..SourceTotals::default() };
        let (metrics, _) = SleepMetrics::from_totals(record.time_in_bed(), &totals);
        SleepRecord::from_metrics(record.head().clone(), metrics).unwrap()
    }

    /// Compares two records, of which the second stands later in the same file.
    fn in_one_file(session: &SleepRecord, record: &SleepRecord) -> Precedence {
        let at = |number| RecordPosition { file: 0, number };
        Precedence::of((session, at(1)), (record, at(2)))
    }

    #[test]
    fn a_row_that_touches_another_one_of_its_file_does_not_replace_it() {
        let night = derived(0, 480);
        for other in [derived(479, 510), derived(-30, 1), derived(100, 130), derived(0, 480 * 3)] {
            let expected = if other.key() == night.key() { Record } else { Both };
            assert_eq!(in_one_file(&night, &other), expected, "{other:?}");
        }
        assert_eq!(in_one_file(&derived(479, 510), &keyed("7", 0, 480)), Both);
        assert_eq!(in_one_file(&derived(0, 480), &derived(480, 510)), Record);
    }

    #[test]
    fn of_two_rows_of_one_night_the_richer_then_the_longer_then_the_later_is_kept() {
        for (session, record, expected) in [
            (derived(0, 480), derived(0, 479), Session),
            (derived(0, 479), derived(0, 480), Record),
            (derived(0, 480), derived(10, 490), Record),
            (derived(0, 480), derived(10, 480), Session),
            (derived(0, 480), derived(0, 30), Session),
            (staged(&derived(0, 480)), derived(0, 490), Session),
            (derived(0, 490), staged(&derived(0, 480)), Record),
            (with_totals(&derived(10, 480)), derived(0, 480), Session),
            (derived(0, 480), with_totals(&derived(10, 480)), Record),
            (with_totals(&derived(0, 480)), with_totals(&derived(10, 480)), Session),
            (with_totals(&derived(0, 490)), staged(&derived(0, 480)), Record),
            (keyed("7", 0, 480), with_totals(&keyed("7", 10, 480)), Record),
            (keyed("7", 0, 480), keyed("7", 5, 480), Session),
            (derived(0, 480), keyed("7", 0, 470), Record),
            (keyed("7", 0, 480), derived(0, 480), Record),
            (keyed("7", 0, 480), keyed("8", 0, 470), Record),
        ] {
            assert_eq!(in_one_file(&session, &record), expected, "{session:?} {record:?}");
        }
    }

    #[test]
    fn a_later_file_replaces_what_an_earlier_one_contains() {
        let (early, late) = (RecordPosition { file: 1, number: 9 }, RecordPosition { file: 2, number: 1 });
        let night = derived(0, 480);
        for other in [derived(10, 400), derived(100, 130), derived(465, 495), derived(-400, 900)] {
            assert_eq!(Precedence::of((&night, early), (&other, late)), Record);
            assert_eq!(Precedence::of((&night, late), (&other, early)), Session);
        }
        let nap = derived(479, 510);
        assert_eq!(Precedence::of((&night, early), (&nap, late)), Both);
        assert_eq!(Precedence::of((&night, late), (&nap, early)), Both);
    }

    #[test]
    fn a_key_of_two_times_is_none() {
        let (early, late) = (RecordPosition { file: 1, number: 9 }, RecordPosition { file: 2, number: 1 });
        for (other, in_one, in_two) in [
            (keyed("7", 900, 940), true, true),
            (keyed("7", 479, 510), true, false),
            (keyed("7", 0, 100), true, false),
            (keyed("7", 10, 470), false, false),
        ] {
            let night = keyed("7", 0, 480);
            assert_eq!(is_ambiguous_key((&night, early), (&other, early)), in_one, "{other:?}");
            assert_eq!(is_ambiguous_key((&night, early), (&other, late)), in_two, "{other:?}");
        }
    }
}
