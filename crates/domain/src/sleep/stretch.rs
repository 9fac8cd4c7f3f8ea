//! Intervals covered by overlapping sessions of one source.

use super::{SleepRecordHead, SleepSource};
use chrono::{DateTime, Utc};

/// Interval covered by overlapping sessions of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch<'s> {
    /// The source, if known.
    pub source: Option<&'s SleepSource>,
    /// Start of the first session.
    pub start: DateTime<Utc>,
    /// End of the last session.
    pub end: DateTime<Utc>,
}

impl<'s> Stretch<'s> {
    fn from_record(record: &'s SleepRecordHead) -> Self {
        let SleepRecordHead { key: _, source, time_in_bed, is_nap: _ } = record;
        Self { source: source.as_ref(), start: time_in_bed.start(), end: time_in_bed.end() }
    }
}

/// Merges the overlapping times in bed of records of one source, ordered by source and start.
///
/// A session overlaps an interval of its source exactly if it overlaps one of the records, so one lookup per
/// interval is sufficient.
pub fn stretches(records: &[SleepRecordHead]) -> Vec<Stretch<'_>> {
    let mut all: Vec<_> = records.iter().map(Stretch::from_record).collect();
    all.sort_unstable_by_key(|stretch| (stretch.source, stretch.start));
    let mut joined: Vec<Stretch<'_>> = Vec::new();
    for next in all {
        match joined.last_mut() {
            Some(last) if last.source == next.source && next.start < last.end => {
                last.end = last.end.max(next.end);
            }
            _ => joined.push(next),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sleep::{SessionKey, TimeInBed};
    use chrono::TimeDelta;
    use proptest::prelude::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minute)
    }

    fn head(source: Option<&str>, start: i64, end: i64) -> SleepRecordHead {
        SleepRecordHead {
            key: SessionKey::derived_from(at(start)),
            source: source.and_then(|source| SleepSource::parse(source).ok()),
            time_in_bed: TimeInBed::new(at(start), at(end), None, None).unwrap(),
            is_nap: None,
        }
    }

    #[test]
    fn thousands_of_records_that_overlap_each_other_are_one_stretch() {
        let nested: Vec<_> = (0..2_000).map(|number| head(None, number, 5_000 - number)).collect();
        assert_eq!(stretches(&nested), [Stretch { source: None, start: at(0), end: at(5_000) }]);
    }

    #[test]
    fn adjacent_records_and_those_of_different_sources_are_not_merged() {
        let records = [head(None, 5, 9), head(None, 0, 5), head(Some("ring"), 0, 9)];
        let times: Vec<_> = stretches(&records).iter().map(|stretch| (stretch.start, stretch.end)).collect();
        assert_eq!(times, [(at(0), at(5)), (at(5), at(9)), (at(0), at(9))]);
    }

    fn heads() -> impl Strategy<Value = SleepRecordHead> {
        let source = prop::option::of(prop_oneof![Just("ring"), Just("watch")]);
        (source, 0_i64..60, 1_i64..12).prop_map(|(source, start, length)| head(source, start, start + length))
    }

    proptest! {
        #[test]
        fn a_session_overlaps_a_stretch_exactly_if_it_overlaps_a_record(
            records in prop::collection::vec(heads(), 0..12),
            session in heads(),
        ) {
            let of_record = records.iter().any(|record| {
                record.source == session.source && record.time_in_bed.overlaps(&session.time_in_bed)
            });
            let (start, end) = (session.time_in_bed.start(), session.time_in_bed.end());
            let of_stretch = stretches(&records).iter().any(|stretch| {
                stretch.source == session.source.as_ref() && start < stretch.end && stretch.start < end
            });
            prop_assert_eq!(of_stretch, of_record);
        }
    }
}
