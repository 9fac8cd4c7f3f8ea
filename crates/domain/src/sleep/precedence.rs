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
    /// Records are one session if they have the same key, or no source id and share half of the longer one;
    /// in two files also if one is a part of the other and not more detailed. The more detailed is kept, then
    /// the longer, then the later one. Exceptions: the later one of two files with the same source id, and
    /// the night instead of a part of it with the same start.
    pub fn of(
        (session, at): (&SleepRecord, RecordPosition),
        (record, record_at): (&SleepRecord, RecordPosition),
    ) -> Self {
        let has_source_id = session.key().is_given() || record.key().is_given();
        let has_same_key = session.key() == record.key();
        if has_source_id && !has_same_key {
            return Self::Record;
        }
        let is_of_one_file = at.file == record_at.file;
        let (bed, other) = (session.time_in_bed(), record.time_in_bed());
        let is_same_sleep =
            if is_of_one_file { bed.shares_half_of_longer(other) } else { is_same_sleep(session, record) };
        if !has_same_key && !is_same_sleep {
            return Self::Both;
        }
        let stays = if has_source_id && !is_of_one_file {
            at > record_at
        } else if bed.shares_half_of_longer(other) {
            (session.detail(), bed.millis(), at) > (record.detail(), other.millis(), record_at)
        } else {
            bed.millis() > other.millis()
        };
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
        !session.time_in_bed().shares_half_of_longer(record.time_in_bed())
    } else {
        !session.time_in_bed().overlaps(record.time_in_bed())
    }
}

/// Returns whether two records without source ids are the same sleep: they share half of the longer one, or
/// half of the shorter one, which is not the more detailed one.
pub(super) fn is_same_sleep(one: &SleepRecord, other: &SleepRecord) -> bool {
    let (longer, shorter) =
        if one.time_in_bed().millis() < other.time_in_bed().millis() { (other, one) } else { (one, other) };
    let (whole, part) = (longer.time_in_bed(), shorter.time_in_bed());
    whole.covers_half_of(part) && (part.covers_half_of(whole) || shorter.detail() <= longer.detail())
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
        let totals = SourceTotals { asleep: Some(Duration::from_mins(20)), ..SourceTotals::default() };
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
        assert_eq!(in_one_file(&derived(0, 480), &derived(480, 510)), Both);
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

    const EARLY: RecordPosition = RecordPosition { file: 1, number: 9 };
    const LATE: RecordPosition = RecordPosition { file: 2, number: 1 };

    /// Returns which of two records is kept, whichever file has the other one; `None` if both are.
    fn kept(early: &SleepRecord, late: &SleepRecord) -> Option<SleepRecord> {
        let (first, last) =
            (Precedence::of((early, EARLY), (late, LATE)), Precedence::of((late, LATE), (early, EARLY)));
        match (first, last) {
            (Session, Record) => Some(early.clone()),
            (Record, Session) => Some(late.clone()),
            (Both, Both) => None,
            other => panic!("{other:?}: {early:?} {late:?}"),
        }
    }

    #[test]
    fn of_two_versions_of_a_night_detail_length_or_the_later_file_decides() {
        let night = derived(0, 480);
        for other in [derived(10, 400), derived(100, 570), derived(0, 300)] {
            assert_eq!(kept(&night, &other), Some(night.clone()));
            assert_eq!(kept(&other, &night), Some(night.clone()));
            assert_eq!(kept(&staged(&other), &with_totals(&night)), Some(staged(&other)));
            assert_eq!(kept(&night, &with_totals(&other)), Some(with_totals(&other)));
        }
        let part = staged(&derived(0, 30));
        assert_eq!((kept(&night, &part), kept(&part, &night)), (Some(night.clone()), Some(night.clone())));
        let moved = derived(10, 490);
        assert_eq!((kept(&night, &moved), kept(&moved, &night)), (Some(moved.clone()), Some(night.clone())));
    }

    #[test]
    fn of_two_files_with_one_source_id_the_later_is_kept() {
        let (log, corrected) = (staged(&keyed("7", 0, 480)), keyed("7", 0, 470));
        assert_eq!(
            (kept(&log, &corrected), kept(&corrected, &log)),
            (Some(corrected.clone()), Some(log.clone()))
        );
    }

    #[test]
    fn a_night_wins_over_its_part_in_another_file_unless_that_has_more_detail() {
        let night = with_totals(&derived(0, 480));
        for part in [derived(100, 130), derived(465, 495)] {
            assert_eq!(kept(&night, &part), Some(night.clone()));
            assert_eq!(kept(&part, &night), Some(night.clone()));
            assert_eq!(kept(&night, &staged(&part)), None);
            assert_eq!(kept(&staged(&part), &night), None);
        }
        assert_eq!(kept(&night, &derived(479, 510)), None);
    }

    #[test]
    fn a_key_of_two_times_is_none() {
        for (other, in_one, in_two) in [
            (keyed("7", 900, 940), true, true),
            (keyed("7", 479, 510), true, false),
            (keyed("7", 0, 100), true, false),
            (keyed("7", 10, 470), false, false),
        ] {
            let night = keyed("7", 0, 480);
            assert_eq!(is_ambiguous_key((&night, EARLY), (&other, EARLY)), in_one, "{other:?}");
            assert_eq!(is_ambiguous_key((&night, EARLY), (&other, LATE)), in_two, "{other:?}");
        }
    }
}
