//! A night of forty stages, as in the HTTP benchmarks.

use anyhow::Context;
use application::ports::storage::PackedSleepRow;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::packed::{encode_metrics, encode_stages};
use domain::sleep::{Hypnogram, SleepMetrics, Stage, StageEntry, TimeInBed};
use domain::time::UtcOffset;
use uuid::Uuid;

const STAGES: [Stage; 4] = [Stage::Awake, Stage::Light, Stage::Deep, Stage::Rem];
const ENTRIES: i32 = 40;

/// A night and its number.
pub(crate) struct Night {
    number: u32,
    pub(crate) time_in_bed: TimeInBed,
    pub(crate) hypnogram: Hypnogram,
}

impl Night {
    /// Creates the night of this number; consecutive nights start one day apart.
    pub(crate) fn new(number: u32) -> anyhow::Result<Self> {
        let day = TimeDelta::days(i64::from(number));
        let first: DateTime<Utc> = DateTime::from_timestamp(1_770_762_600, 0).context("a moment")?;
        let at = |entry: i32| first + day + TimeDelta::minutes(12) * entry;
        let offset = UtcOffset::from_minutes(60);
        let time_in_bed = TimeInBed::new(at(0), at(ENTRIES), offset, offset)?;
        let stages = STAGES.into_iter().cycle().zip(0..ENTRIES);
        let entries = stages.map(|(stage, entry)| StageEntry::new(stage, at(entry), at(entry + 1)));
        let hypnogram = Hypnogram::new(entries.collect::<Result<_, _>>()?, &time_in_bed)?;
        Ok(Self { number, time_in_bed, hypnogram })
    }

    /// Packs its stages.
    pub(crate) fn stages(&self) -> Vec<u8> {
        encode_stages(self.time_in_bed.start().timestamp_millis(), &self.hypnogram)
    }

    /// Packs the metrics computed from its stages.
    pub(crate) fn metrics(&self) -> Vec<u8> {
        encode_metrics(&SleepMetrics::from_hypnogram(&self.time_in_bed, &self.hypnogram))
    }

    /// Returns it as a row of a page.
    pub(crate) fn row(&self) -> PackedSleepRow {
        let started_at_millis = self.time_in_bed.start().timestamp_millis();
        PackedSleepRow {
            id: SleepSessionId::from_uuid(Uuid::from_u128(0x1000 + u128::from(self.number))),
            started_at_millis,
            ended_at_millis: self.time_in_bed.end().timestamp_millis(),
            offset_at_start: self.time_in_bed.offset_at_start(),
            offset_at_end: self.time_in_bed.offset_at_end(),
            source: Some("ring".into()),
            is_nap: Some(false),
            updated_at_millis: started_at_millis,
            stages: self.stages().into_boxed_slice(),
            metrics: self.metrics().into_boxed_slice(),
        }
    }
}
