//! A session as recorded by a source, and as stored.

use super::packed::{self, InvalidPacked};
use super::{Hypnogram, SessionKey, SleepMetrics, SleepSource, TimeInBed};
use crate::id::SleepSessionId;
use chrono::{DateTime, Utc};

/// Why parts do not form a valid session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSleepRecord {
    /// A stage lies outside the session's time in bed.
    #[error("a stage lies outside the time in bed")]
    StageOutsideTimeInBed,
    /// The metrics belong to another time in bed.
    #[error("the metrics belong to a different time in bed")]
    MetricsOfAnotherNight,
}

/// Everything of a session except stages and metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepRecordHead {
    /// Key of the session within its person and source.
    pub key: SessionKey,
    /// Device or app that recorded it, if known.
    pub source: Option<SleepSource>,
    /// The time in bed.
    pub time_in_bed: TimeInBed,
    /// Whether it was a nap, if the source reports it.
    pub is_nap: Option<bool>,
}

/// Session as recorded by a source; two equal records are unchanged.
///
/// The stages lie within the time in bed, and the metrics belong to this time in bed. Metrics are computed
/// from the stages. The source's own totals are kept if there are no stages, or if the stages cover little of
/// the night (see [`Hypnogram::covers`]).
#[derive(Debug, Clone, PartialEq)]
pub struct SleepRecord {
    head: SleepRecordHead,
    hypnogram: Hypnogram,
    metrics: SleepMetrics,
}

/// What a record states beyond its time in bed, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Nothing.
    TimeInBed,
    /// Totals of the source.
    Totals,
    /// Stages.
    Stages,
}

impl SleepRecord {
    /// Creates a record from stages and computes its metrics; without stages, only the time in bed is known.
    pub fn from_stages(head: SleepRecordHead, hypnogram: Hypnogram) -> Result<Self, InvalidSleepRecord> {
        if !hypnogram.lies_within(&head.time_in_bed) {
            return Err(InvalidSleepRecord::StageOutsideTimeInBed);
        }
        let metrics = SleepMetrics::from_hypnogram(&head.time_in_bed, &hypnogram);
        Ok(Self { head, hypnogram, metrics })
    }

    /// Creates a record without stages from the source's metrics.
    pub fn from_metrics(head: SleepRecordHead, metrics: SleepMetrics) -> Result<Self, InvalidSleepRecord> {
        if !metrics.belong_to(&head.time_in_bed) {
            return Err(InvalidSleepRecord::MetricsOfAnotherNight);
        }
        Ok(Self { head, hypnogram: Hypnogram::empty(), metrics })
    }

    /// Creates a record from stages and the source's metrics, which are kept unless the stages cover them.
    pub fn from_stages_or_metrics(
        head: SleepRecordHead,
        hypnogram: Hypnogram,
        metrics: SleepMetrics,
    ) -> Result<Self, InvalidSleepRecord> {
        if hypnogram.is_empty() {
            return Self::from_metrics(head, metrics);
        }
        let computed = Self::from_stages(head, hypnogram)?;
        if computed.hypnogram.covers(&metrics) {
            return Ok(computed);
        }
        if !metrics.belong_to(&computed.head.time_in_bed) {
            return Err(InvalidSleepRecord::MetricsOfAnotherNight);
        }
        Ok(Self { metrics, ..computed })
    }

    /// Returns how detailed it is.
    pub fn detail(&self) -> Detail {
        match (self.hypnogram.is_empty(), self.metrics.are_of_time_in_bed_alone()) {
            (false, _) => Detail::Stages,
            (true, false) => Detail::Totals,
            (true, true) => Detail::TimeInBed,
        }
    }

    /// Reads a stored record, whose stages and metrics are encoded as in [`packed`].
    pub fn from_packed(head: SleepRecordHead, stages: &[u8], metrics: &[u8]) -> Result<Self, InvalidPacked> {
        let hypnogram = packed::decode_stages(&head.time_in_bed, stages)?;
        let metrics = packed::decode_metrics(&head.time_in_bed, metrics)?;
        Ok(Self { head, hypnogram, metrics })
    }

    /// Encodes the stages; empty if there are none.
    pub fn packed_stages(&self) -> Vec<u8> {
        packed::encode_stages(self.head.time_in_bed.start_millis(), &self.hypnogram)
    }

    /// Encodes the metrics; never empty.
    pub fn packed_metrics(&self) -> Vec<u8> {
        packed::encode_metrics(&self.metrics)
    }

    /// Returns everything except stages and metrics.
    pub const fn head(&self) -> &SleepRecordHead {
        &self.head
    }

    /// Returns the key within person and source.
    pub const fn key(&self) -> &SessionKey {
        &self.head.key
    }

    /// Returns the record with the key derived from its start.
    #[must_use]
    pub fn with_derived_key(self) -> Self {
        let key = SessionKey::derived_from(self.head.time_in_bed.start());
        Self { head: SleepRecordHead { key, ..self.head }, ..self }
    }

    /// Returns the source, if known.
    pub const fn source(&self) -> Option<&SleepSource> {
        self.head.source.as_ref()
    }

    /// Returns the time in bed.
    pub const fn time_in_bed(&self) -> &TimeInBed {
        &self.head.time_in_bed
    }

    /// Returns whether it was a nap, if the source reports it.
    pub const fn is_nap(&self) -> Option<bool> {
        self.head.is_nap
    }

    /// Returns the stages; empty if the source sent none.
    pub const fn hypnogram(&self) -> &Hypnogram {
        &self.hypnogram
    }

    /// Returns the metrics.
    pub const fn metrics(&self) -> &SleepMetrics {
        &self.metrics
    }
}

/// A stored session: a record with an id.
#[derive(Debug, Clone, PartialEq)]
pub struct SleepSession {
    /// Id, which does not change if a later import replaces the record.
    pub id: SleepSessionId,
    /// The record.
    pub record: SleepRecord,
    /// When the record last changed.
    pub updated_at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::super::testing::{entry, given_head, night};
    use super::super::{MetricKind, MetricValue, SourceTotals, Stage, TimeInBed};
    use super::{Hypnogram, InvalidSleepRecord, SleepMetrics, SleepRecord};
    use std::time::Duration;

    #[test]
    fn metrics_come_from_the_stages_when_there_are_any() {
        let frame = night(480);
        let stages = Hypnogram::new(vec![entry(Stage::Light, 0, 480)], &frame).unwrap();
        let reported = vec![(MetricKind::SleepWakeups, MetricValue::from_count(9))];
        let reported = SleepMetrics::from_reported(&frame, reported).unwrap();
        let head = given_head("1", frame);
        let with_stages =
            SleepRecord::from_stages_or_metrics(head.clone(), stages, reported.clone()).unwrap();
        assert_eq!(with_stages.metrics().get(MetricKind::SleepWakeups), Some(MetricValue::from_count(0)));
        let bare = SleepRecord::from_stages_or_metrics(head, Hypnogram::empty(), reported).unwrap();
        assert_eq!(bare.metrics().get(MetricKind::SleepWakeups), Some(MetricValue::from_count(9)));
    }

    #[test]
    fn totals_are_used_if_the_stages_cover_less_than_nine_tenths_of_them() {
        let frame = night(480);
        let totals = SourceTotals {
            asleep: Some(Duration::from_mins(400)),
            awake: Some(Duration::from_mins(50)),
            ..SourceTotals::default()
        };
        let (totals, _) = SleepMetrics::from_totals(&frame, &totals);
        for (minutes, asleep) in [(404, 400.0), (405, 405.0)] {
            // UNKNOWN covers nothing.
            let entries = vec![entry(Stage::Light, 0, minutes), entry(Stage::Unknown, minutes, 480)];
            let stages = Hypnogram::new(entries, &frame).unwrap();
            let record =
                SleepRecord::from_stages_or_metrics(given_head("1", frame), stages, totals.clone()).unwrap();
            let seconds = record.metrics().get(MetricKind::TimeNightAsleep).map(MetricValue::as_f64);
            assert_eq!((seconds, record.hypnogram().len()), (Some(asleep * 60.0), 2));
        }
    }

    #[test]
    fn totals_of_another_night_are_refused_even_if_the_stages_cover_little() {
        let totals = SourceTotals { asleep: Some(Duration::from_mins(400)), ..SourceTotals::default() };
        let (totals, _) = SleepMetrics::from_totals(&night(480), &totals);
        let stages = Hypnogram::new(vec![entry(Stage::Light, 0, 30)], &night(60)).unwrap();
        let record = SleepRecord::from_stages_or_metrics(given_head("1", night(60)), stages, totals);
        assert_eq!(record, Err(InvalidSleepRecord::MetricsOfAnotherNight));
    }

    #[test]
    fn parts_of_another_night_are_rejected() {
        let (long, short) = (night(480), night(60));
        let stages = Hypnogram::new(vec![entry(Stage::Light, 0, 480)], &long).unwrap();
        let outside = SleepRecord::from_stages(given_head("1", short), stages.clone());
        assert_eq!(outside, Err(InvalidSleepRecord::StageOutsideTimeInBed));
        let metrics = SleepMetrics::from_hypnogram(&long, &stages);
        let other = SleepRecord::from_metrics(given_head("1", short), metrics);
        assert_eq!(other, Err(InvalidSleepRecord::MetricsOfAnotherNight));
    }

    #[test]
    fn a_packed_record_reads_back_as_itself() {
        let frame = night(480);
        let stages = vec![entry(Stage::Awake, 3, 10), entry(Stage::Rem, 10, 479)];
        let stages = Hypnogram::new(stages, &frame).unwrap();
        let record = SleepRecord::from_stages(given_head("1", frame), stages).unwrap();
        let (stages, metrics) = (record.packed_stages(), record.packed_metrics());
        let head = record.head().clone();
        assert_eq!(SleepRecord::from_packed(head, &stages, &metrics), Ok(record.clone()));
        let start = frame.start();
        let shorter = TimeInBed::new(start, start + chrono::Duration::minutes(60), None, None).unwrap();
        assert!(SleepRecord::from_packed(given_head("1", shorter), &stages, &metrics).is_err());
        assert!(SleepRecord::from_packed(given_head("1", shorter), &[], &metrics).is_err());
    }
}
