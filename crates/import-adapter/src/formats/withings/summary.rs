//! Conversion of a summary to a session.

use super::instant;
use super::members::{Data, Record};
use crate::json::LooseScalar;
use crate::session::{self, Sums};
use crate::source::Notes;
use domain::sleep::{SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};
use domain::time::TimeZone;

/// Converts one summary, or returns why it is invalid; dropped parts are noted.
pub(super) fn read(record: &Record, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let data = record.data.as_ref().ok_or("state and data are missing")?;
    let start = instant("startdate", &record.startdate)?;
    let end = instant("enddate", &record.enddate)?;
    let zone = zone_of(record, zone, notes);
    let with_offset = |instant| (instant, Some(zone.offset_at(instant)));
    let time_in_bed = session::time_in_bed(with_offset(start), with_offset(end))?;
    let metrics = metrics(data, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: session::key("id", &record.id, start)?,
        source: session::source("withings")?,
        time_in_bed,
        is_nap: None,
    };
    session::without_stages(head, metrics)
}

/// Returns the record's zone, else the given one.
fn zone_of(record: &Record, zone: TimeZone, notes: &mut Notes) -> TimeZone {
    let named = record.timezone.as_str().and_then(|name| TimeZone::parse(name).ok());
    if named.is_none() && !record.timezone.is_absent() {
        notes.add("the timezone is unknown; the offsets of the specified zone were used");
    }
    named.unwrap_or(zone)
}

fn metrics(data: &Data, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let mut sums = Sums::default();
    let totals = SourceTotals {
        asleep: sums.seconds(either(&data.total_sleep_time, &data.asleepduration)),
        awake: sums.seconds(&data.wakeupduration),
        light: sums.seconds(&data.lightsleepduration),
        deep: sums.seconds(&data.deepsleepduration),
        rem: sums.seconds(&data.remsleepduration),
        latency: sums.seconds(either(&data.sleep_latency, &data.durationtosleep)),
        awake_after_onset: sums.seconds(&data.waso),
        wakeups: sums.count(&data.wakeupcount),
        ..SourceTotals::default()
    };
    sums.metrics(&totals, time_in_bed, notes)
}

const fn either<'a>(first: &'a LooseScalar, second: &'a LooseScalar) -> &'a LooseScalar {
    if first.is_absent() { second } else { first }
}
