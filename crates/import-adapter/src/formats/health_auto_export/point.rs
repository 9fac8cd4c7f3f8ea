//! Points of the sleep metric: a stage, or the sums of a night.

use super::{SOURCE, time};
use crate::health_kit;
use crate::json::{LooseScalar, decode};
use crate::segments::Segment;
use crate::session::{self, Sums};
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SleepSource, SourceTotals, TimeInBed};
use domain::time::UtcOffset;
use serde::Deserialize;
use std::time::Duration;

/// A point; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Point {
    start: LooseScalar,
    start_date: LooseScalar,
    end: LooseScalar,
    end_date: LooseScalar,
    /// Word for the stage. Apps that write its number into `qty` have no such word.
    value: LooseScalar,
    source: LooseScalar,
    /// The source in versions before 2023.
    sleep_source: LooseScalar,
    in_bed_source: LooseScalar,
    sleep_start: LooseScalar,
    sleep_end: LooseScalar,
    in_bed_start: LooseScalar,
    in_bed_end: LooseScalar,
    total_sleep: LooseScalar,
    core: LooseScalar,
    deep: LooseScalar,
    rem: LooseScalar,
    /// Sleep of an unknown stage.
    asleep: LooseScalar,
    awake: LooseScalar,
}

/// Content of a point.
#[derive(Debug)]
pub(super) enum Sleep {
    Stage(SleepSource, Segment),
    Night(Box<SleepRecord>),
}

/// Returns whether a point may be about sleep; most metrics have other members.
pub(super) fn may_be_sleep(text: &str) -> bool {
    decode::<Point>(text).is_ok_and(|point| point.is_stage() || point.is_night())
}

/// Reads the point with this number, or returns why it is invalid.
pub(super) fn read(text: &str, number: u64, notes: &mut Notes) -> Result<Sleep, String> {
    let point: Point = decode(text)?;
    if point.is_stage() {
        return Ok(Sleep::Stage(point.source()?, point.segment(number)?));
    }
    if point.is_night() {
        return point.night(notes).map(|night| Sleep::Night(Box::new(night)));
    }
    Err("neither a stage (value) nor a night (sleepStart and sleepEnd)".to_owned())
}

impl Point {
    fn is_stage(&self) -> bool {
        !self.value.is_blank()
    }

    fn is_night(&self) -> bool {
        let times = [&self.sleep_start, &self.sleep_end, &self.in_bed_start, &self.in_bed_end];
        times.into_iter().any(|time| !time.is_blank())
    }

    fn segment(&self, number: u64) -> Result<Segment, String> {
        let (start, offset_at_start) = first_time(("start", &self.start), ("startDate", &self.start_date))?;
        let (end, offset_at_end) = first_time(("end", &self.end), ("endDate", &self.end_date))?;
        let word = self.value.as_str().ok_or("value is not a word for a sleep stage")?;
        let stage = health_kit::stage(word).map_err(|error| format!("value {error}"))?;
        Ok(Segment { start, end, offset_at_start, offset_at_end, stage, at: number })
    }

    /// Returns the device or app. Several are sorted, because the app joins them in any order.
    fn source(&self) -> Result<SleepSource, String> {
        let stated = [&self.source, &self.sleep_source, &self.in_bed_source];
        let stated = stated.into_iter().find(|source| !source.is_blank());
        let name = match stated {
            Some(source) => source.as_str().ok_or("source is not a text")?,
            None => SOURCE,
        };
        let mut names: Vec<_> = name.split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        let joined = names.join("|");
        let source = SleepSource::parse(if names.len() > 1 { &joined } else { name });
        source.map_err(|error| format!("source: {error}"))
    }

    fn night(&self, notes: &mut Notes) -> Result<SleepRecord, String> {
        let time_in_bed = self.time_in_bed()?;
        let mut sums = Sums::default();
        let mut sum = |value: &LooseScalar| sums.checked(value, hours(value));
        let total = sum(&self.total_sleep);
        let [light, deep, rem] = [&self.core, &self.deep, &self.rem].map(&mut sum);
        let [asleep, awake] = [&self.asleep, &self.awake].map(&mut sum);
        let stated = [total, light, deep, rem, asleep, awake];
        // The app writes 0 for whatever it does not know.
        let [total, light, deep, rem, asleep, awake] =
            stated.map(|sum| sum.filter(|length| !length.is_zero()));
        let parts = [light, deep, rem, asleep].into_iter().flatten();
        let of_parts = || parts.reduce(Duration::saturating_add);
        let totals = SourceTotals {
            asleep: total.or_else(of_parts),
            awake,
            light,
            deep,
            rem,
            ..SourceTotals::default()
        };
        let metrics = sums.metrics(&totals, &time_in_bed, notes);
        if totals == SourceTotals::default() && stated.iter().any(Option::is_some) {
            session::note_silence(&metrics, notes);
        }
        let head = SleepRecordHead {
            key: SessionKey::derived_from(time_in_bed.start()),
            source: Some(self.source()?),
            time_in_bed,
            is_nap: None,
        };
        session::without_stages(head, metrics)
    }

    /// Returns the time in bed, which contains the sleep, and is often not stated.
    fn time_in_bed(&self) -> Result<TimeInBed, String> {
        let starts = [("sleepStart", &self.sleep_start), ("inBedStart", &self.in_bed_start)];
        let ends = [("sleepEnd", &self.sleep_end), ("inBedEnd", &self.in_bed_end)];
        let start = stated(starts)?.into_iter().flatten().min_by_key(|(instant, _)| *instant);
        let end = stated(ends)?.into_iter().flatten().max_by_key(|(instant, _)| *instant);
        session::time_in_bed(start.ok_or("sleepStart is missing")?, end.ok_or("sleepEnd is missing")?)
    }
}

/// An instant and its offset.
type Time = (DateTime<Utc>, Option<UtcOffset>);

/// Parses the first of two spellings of a member that is stated.
fn first_time(one: (&str, &LooseScalar), other: (&str, &LooseScalar)) -> Result<Time, String> {
    let (name, value) = if other.1.is_blank() { one } else { other };
    time(name, value)
}

/// Parses two times, each of which may be absent.
fn stated([one, other]: [(&str, &LooseScalar); 2]) -> Result<[Option<Time>; 2], String> {
    let read = |(name, value): (&str, &LooseScalar)| {
        if value.is_blank() { Ok(None) } else { time(name, value).map(Some) }
    };
    Ok([read(one)?, read(other)?])
}

/// Returns a length in hours, rounded to milliseconds because most are no binary numbers.
fn hours(value: &LooseScalar) -> Option<Duration> {
    let millis = (value.number()? * 3_600_000.0).round();
    Duration::try_from_secs_f64(millis / 1000.0).ok()
}
