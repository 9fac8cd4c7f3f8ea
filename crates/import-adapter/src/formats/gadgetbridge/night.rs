//! Conversion of a session with its stages.

use super::load::{Devices, Night, NightStages};
use super::stage::{Stages, entries};
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, TimeInBed};
use domain::time::TimeZone;

/// Converts one session, or returns why it is invalid.
pub(super) fn read(
    night: &Night,
    stages: &mut Stages,
    devices: &Devices,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let (start, end) = night.bounds?;
    let time_in_bed = time_in_bed((start, end), zone)?;
    if let Some(note) = night.note {
        notes.add(note);
    }
    let of_table;
    let parts = match &night.stages {
        NightStages::Given(parts) => parts.as_slice(),
        NightStages::InTable => {
            of_table = stages.within(night.device, start, end)?;
            of_table.as_slice()
        }
        NightStages::Meaningless => {
            stages.within(night.device, start, end)?;
            &[]
        }
    };
    let entries = entries(parts, (start, end), notes);
    let hypnogram = Hypnogram::flatten(entries, &time_in_bed).map_err(|error| error.to_string())?;
    let metrics = session::metrics(&night.totals, &time_in_bed, notes);
    let source = match devices.name(night.device) {
        Some(name) => Some(name.clone()),
        None => session::source("gadgetbridge")?,
    };
    let key = SessionKey::derived_from(time_in_bed.start());
    let head = SleepRecordHead { key, source, time_in_bed, is_nap: night.is_nap };
    session::with_stages(head, hypnogram, metrics, notes)
}

/// The database has no offsets, so those of the given zone apply.
fn time_in_bed((start, end): (i64, i64), zone: TimeZone) -> Result<TimeInBed, String> {
    let instant = |millis: i64| {
        let instant: Option<DateTime<Utc>> = DateTime::from_timestamp_millis(millis);
        instant.ok_or_else(|| "a time is out of range".to_owned())
    };
    let (start, end) = (instant(start)?, instant(end)?);
    session::time_in_bed((start, Some(zone.offset_at(start))), (end, Some(zone.offset_at(end))))
}
