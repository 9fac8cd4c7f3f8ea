//! Conversion of a document to a session.

use super::members::Period;
use super::phases;
use crate::json::LooseScalar;
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::session::{self, Sums};
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};
use domain::time::{TimeZone, UtcOffset};

/// Converts one document, or returns why it is invalid; dropped parts are noted.
pub(super) fn read(period: &Period, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let clock = Clock { zone, of_document: offset(&period.timezone) };
    let (start, offset_at_start) = clock.read("bedtime_start", &period.bedtime_start, notes)?;
    let (end, offset_at_end) = clock.read("bedtime_end", &period.bedtime_end, notes)?;
    let time_in_bed = session::time_in_bed((start, Some(offset_at_start)), (end, Some(offset_at_end)))?;
    if period.is_of_unknown_kind() {
        notes.add("unknown type of sleep");
    }
    let hypnogram = phases::read(period, &time_in_bed, notes)?;
    let metrics = metrics(period, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: session::key("id", &period.id, start)?,
        source: session::source("oura")?,
        time_in_bed,
        is_nap: period.is_nap(),
    };
    session::with_stages(head, hypnogram, metrics, notes)
}

/// Parses times: their own offset wins over the document's, which wins over the given zone.
struct Clock {
    zone: TimeZone,
    of_document: Option<UtcOffset>,
}

impl Clock {
    fn read(
        &self,
        name: &str,
        value: &LooseScalar,
        notes: &mut Notes,
    ) -> Result<(DateTime<Utc>, UtcOffset), String> {
        if value.is_absent() {
            return Err(format!("{name} is missing"));
        }
        let text = value.as_str();
        let time = text.and_then(LocalTime::parse);
        let time = time.ok_or_else(|| format!("{name} is not a date and time"))?;
        let time = LocalTime { offset: time.offset.or(self.of_document), ..time };
        if time.is_skipped(self.zone) {
            notes.add_once(SKIPPED_TIME_NOTE);
        }
        let (instant, offset) = time.resolve(self.zone).ok_or_else(|| format!("{name} is out of range"))?;
        // `Z` gives the instant but no local offset.
        let is_utc = text.is_some_and(|text| text.ends_with(['Z', 'z']));
        let elsewhere = || self.of_document.unwrap_or_else(|| self.zone.offset_at(instant));
        Ok((instant, if is_utc { elsewhere() } else { offset }))
    }
}

/// Parses the `timezone` of version 1: minutes by which local time is ahead of UTC.
fn offset(minutes: &LooseScalar) -> Option<UtcOffset> {
    minutes.identifier()?.parse().ok().and_then(UtcOffset::from_minutes)
}

fn metrics(period: &Period, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let mut sums = Sums::default();
    let totals = SourceTotals {
        asleep: sums.seconds(either(&period.total_sleep_duration, &period.total)),
        awake: sums.seconds(either(&period.awake_time, &period.awake)),
        light: sums.seconds(either(&period.light_sleep_duration, &period.light)),
        deep: sums.seconds(either(&period.deep_sleep_duration, &period.deep)),
        rem: sums.seconds(either(&period.rem_sleep_duration, &period.rem)),
        latency: sums.seconds(either(&period.latency, &period.onset_latency)),
        ..SourceTotals::default()
    };
    sums.metrics(&totals, time_in_bed, notes)
}

/// Returns the member of version 2, else that of version 1.
const fn either<'a>(second: &'a LooseScalar, first: &'a LooseScalar) -> &'a LooseScalar {
    if second.is_absent() { first } else { second }
}
