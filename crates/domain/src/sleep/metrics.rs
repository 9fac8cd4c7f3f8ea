//! Metrics of one session.

use super::night::Night;
use super::{Hypnogram, MetricKind, MetricUnit, MetricValue, SourceTotals, TimeInBed};
use std::collections::{BTreeMap, BTreeSet};

/// Why reported values are not valid metrics of a time in bed; never repeats a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMetrics {
    /// Duplicate metric.
    #[error("{} is specified twice", .0.as_str())]
    Repeated(MetricKind),
    /// The value is negative, a percentage above 100, or a count that is not whole.
    #[error("the value of {} is not in its range", .0.as_str())]
    OutOfRange(MetricKind),
    /// The seconds exceed the time in bed.
    #[error("{} exceeds the time in bed", .0.as_str())]
    ExceedsTimeInBed(MetricKind),
    /// The seconds asleep and awake together exceed the time in bed.
    #[error("asleep and awake together exceed the time in bed")]
    AsleepAndAwakeExceedTimeInBed,
}

/// Metrics of one night: at most one value per [`MetricKind`].
///
/// `timeNightInBed` is always present; unknown metrics are omitted, never 0. In bed = asleep + awake +
/// unknown, where unknown is the rest (decisions 6).
#[derive(Debug, Clone, PartialEq)]
pub struct SleepMetrics {
    values: BTreeMap<MetricKind, MetricValue>,
}

impl SleepMetrics {
    /// Computes all metrics from the stages.
    ///
    /// Asleep and awake are known if at least one entry is not UNKNOWN. Light, deep and REM are known if at
    /// least one of them occurs, which excludes nights of only ASLEEP and AWAKE. Metrics of the sleep period
    /// require some sleep. Time in bed without an entry is unknown, and may contain what does not occur: 0 is
    /// known only if the whole time is (of stages, if all sleep has one).
    pub fn from_hypnogram(time_in_bed: &TimeInBed, hypnogram: &Hypnogram) -> Self {
        Night::from_hypnogram(hypnogram).metrics(time_in_bed)
    }

    /// Converts a source's totals and derives further metrics. The flag reports that totals were dropped
    /// because they contradict the time in bed, for the import's report.
    pub fn from_totals(time_in_bed: &TimeInBed, totals: &SourceTotals) -> (Self, bool) {
        totals.metrics(time_in_bed)
    }

    /// Accepts values that were already metrics, such as those of an export, unchanged. If all are 0, they
    /// say nothing about the night and are dropped.
    ///
    /// `timeNightInBed` is always recomputed. Values must be in range, and neither single durations nor
    /// asleep and awake together may exceed the time in bed.
    pub fn from_reported(
        time_in_bed: &TimeInBed,
        reported: Vec<(MetricKind, MetricValue)>,
    ) -> Result<Self, InvalidMetrics> {
        let in_bed = seconds_in_bed(time_in_bed);
        let mut metrics = Self::of_time_in_bed(time_in_bed);
        let mut seen = BTreeSet::new();
        for (kind, value) in reported {
            if !seen.insert(kind) {
                return Err(InvalidMetrics::Repeated(kind));
            }
            if !kind.accepts(value) {
                return Err(InvalidMetrics::OutOfRange(kind));
            }
            if kind == MetricKind::TimeNightInBed {
                continue;
            }
            if kind.unit() == MetricUnit::Seconds && value.as_f64() > in_bed {
                return Err(InvalidMetrics::ExceedsTimeInBed(kind));
            }
            metrics.put(kind, Some(value));
        }
        if metrics.seconds_asleep_and_awake() > in_bed + HALF_A_MILLISECOND {
            return Err(InvalidMetrics::AsleepAndAwakeExceedTimeInBed);
        }
        if metrics.iter().skip(1).all(|(_, value)| value.as_integer() == Some(0)) {
            return Ok(Self::of_time_in_bed(time_in_bed));
        }
        Ok(metrics)
    }

    /// Returns the metrics of a night of which only the time in bed is known.
    pub(super) fn of_time_in_bed(time_in_bed: &TimeInBed) -> Self {
        let mut metrics = Self { values: BTreeMap::new() };
        metrics.put(MetricKind::TimeNightInBed, MetricValue::seconds_from_millis(time_in_bed.millis()));
        metrics
    }

    /// Accepts values in strictly ascending order of kind that start with this time in bed; `None` otherwise.
    pub(super) fn from_stored(
        time_in_bed: &TimeInBed,
        values: impl IntoIterator<Item = (MetricKind, MetricValue)>,
    ) -> Option<Self> {
        let values: BTreeMap<_, _> = values.into_iter().collect();
        let expected = MetricValue::seconds_from_millis(time_in_bed.millis());
        (values.get(&MetricKind::TimeNightInBed).copied() == expected).then_some(Self { values })
    }

    /// Adds a value if it is known.
    pub(super) fn put(&mut self, kind: MetricKind, value: Option<MetricValue>) {
        if let Some(value) = value {
            self.values.insert(kind, value);
        }
    }

    /// Returns the value of a metric; `None` if it is unknown.
    pub fn get(&self, kind: MetricKind) -> Option<MetricValue> {
        self.values.get(&kind).copied()
    }

    /// Returns the known metrics in the order of the API.
    pub fn iter(&self) -> impl Iterator<Item = (MetricKind, MetricValue)> + '_ {
        self.values.iter().map(|(&kind, &value)| (kind, value))
    }

    /// Returns whether nothing but the time in bed is known.
    pub fn are_of_time_in_bed_alone(&self) -> bool {
        self.values.len() <= 1
    }

    /// Returns whether these are the metrics of that time in bed.
    pub(super) fn belong_to(&self, time_in_bed: &TimeInBed) -> bool {
        self.get(MetricKind::TimeNightInBed) == MetricValue::seconds_from_millis(time_in_bed.millis())
    }

    /// Returns the sum of the known seconds asleep and awake.
    pub(super) fn seconds_asleep_and_awake(&self) -> f64 {
        let seconds = |kind| self.get(kind).map_or(0.0, MetricValue::as_f64);
        seconds(MetricKind::TimeNightAsleep) + seconds(MetricKind::TimeNightAwake)
    }
}

/// Tolerates the rounding of a binary64 sum; real values differ by whole milliseconds.
const HALF_A_MILLISECOND: f64 = 0.000_5;

fn seconds_in_bed(time_in_bed: &TimeInBed) -> f64 {
    MetricValue::seconds_from_millis(time_in_bed.millis()).map_or(0.0, MetricValue::as_f64)
}

#[cfg(test)]
mod tests;
