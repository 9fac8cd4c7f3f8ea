//! A sleep session.

use super::{Number, name};
use domain::sleep::{MetricKind, MetricValue, SleepRecordHead, SleepSession, SleepSource, StageEntry};
use domain::time::{UtcOffset, format};
use serde::Serialize;
use utoipa::ToSchema;

/// Optional parts of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Include {
    /// Whether `raw_sleep` is included.
    pub stages: bool,
    /// Whether `sleep_metric` is included.
    pub metrics: bool,
}

impl Include {
    /// All parts, as in an export.
    pub const ALL: Self = Self { stages: true, metrics: true };
}

/// A sleep session. Timestamps have the UTC offset at the place and time of recording, or `Z` if it is
/// unknown; a fraction of three digits only if it is not zero.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = SleepSession)]
pub struct SleepSessionDto {
    /// The session.
    #[schema(value_type = uuid::Uuid, example = "9c3e5b1a-2f60-4d8e-8a47-51b0c6d7e8f9")]
    pub id: String,
    /// Start of the time in bed.
    #[schema(format = DateTime, example = "2026-03-08T23:10:00-05:00")]
    pub time_in_bed_start: String,
    /// End of the time in bed, with the offset in force at the end.
    #[schema(format = DateTime, example = "2026-03-09T07:02:30-04:00")]
    pub time_in_bed_end: String,
    /// The metrics, if requested by `include_metrics`; metrics without a known value are omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sleep_metric: Option<Vec<MetricDto>>,
    /// The stages in time order, if requested by `include_stages`; empty if none were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub raw_sleep: Option<Vec<StageDto>>,
    /// The device or app that recorded the session.
    #[schema(required = true, example = "fitbit")]
    pub source: Option<String>,
    /// Whether it was a nap.
    #[schema(required = true, example = false)]
    pub is_nap: Option<bool>,
    /// The time of the last change, in UTC.
    #[schema(format = DateTime, example = "2026-03-09T12:00:00Z")]
    pub updated_at: String,
}

/// A metric: seconds (`time...`, `sleepLatency`), percent from 0 to 100, or a count.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Metric)]
pub struct MetricDto {
    /// The name of the metric.
    #[schema(schema_with = name::metrics)]
    pub sleep_metric: &'static str,
    /// The value.
    #[schema(value_type = f64, minimum = 0, example = 28350)]
    pub value: Number,
}

/// Period of one sleep stage; the times have the offset in force at the start of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SleepStage)]
pub struct StageDto {
    /// `AWAKE`, `LIGHT`, `DEEP`, `REM`, `ASLEEP` (asleep, stage not known) or `UNKNOWN`.
    #[schema(schema_with = name::stages)]
    pub stage: &'static str,
    /// Start of the period.
    #[schema(format = DateTime, example = "2026-03-08T23:10:00-05:00")]
    pub start: String,
    /// End of the period.
    #[schema(format = DateTime, example = "2026-03-08T23:42:30-05:00")]
    pub end: String,
}

impl SleepSessionDto {
    /// Creates the response body of a session.
    pub fn new(session: &SleepSession, include: Include) -> Self {
        let SleepSession { id, record, updated_at } = session;
        let SleepRecordHead { key: _, source, time_in_bed, is_nap } = record.head();
        let at_start = time_in_bed.offset_at_start();
        let metrics = || record.metrics().iter().map(MetricDto::from).collect();
        let stages = || record.hypnogram().entries().iter().map(|entry| StageDto::new(entry, at_start));
        Self {
            id: id.to_string(),
            time_in_bed_start: format::millis(time_in_bed.start_millis(), at_start),
            time_in_bed_end: format::millis(time_in_bed.end_millis(), time_in_bed.offset_at_end()),
            sleep_metric: include.metrics.then(metrics),
            raw_sleep: include.stages.then(|| stages().collect()),
            source: source.as_ref().map(SleepSource::as_str).map(str::to_owned),
            is_nap: *is_nap,
            updated_at: format::utc(*updated_at),
        }
    }
}

impl From<(MetricKind, MetricValue)> for MetricDto {
    fn from((kind, value): (MetricKind, MetricValue)) -> Self {
        Self { sleep_metric: kind.as_str(), value: value.into() }
    }
}

impl StageDto {
    fn new(entry: &StageEntry, offset: Option<UtcOffset>) -> Self {
        Self {
            stage: entry.stage().as_str(),
            start: format::millis(entry.start_millis(), offset),
            end: format::millis(entry.end_millis(), offset),
        }
    }
}
