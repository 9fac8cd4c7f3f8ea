//! Conversion of a row to a session.

use crate::input::field;
use crate::local_time::{LocalTime, SKIPPED};
use crate::source::Notes;
use chrono::{DateTime, NaiveDateTime, Utc};
use domain::sleep::{
    SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSource, SourceTotals, TimeInBed,
};
use domain::time::{TimeZone, UtcOffset};
use std::time::Duration;

/// One row.
pub(super) struct Night<'a> {
    pub(super) columns: &'a [String],
    pub(super) fields: &'a [String],
}

impl Night<'_> {
    /// Converts the row, or returns why it is invalid; `zone` applies to rows without an offset.
    pub(super) fn record(&self, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
        let offset = self.offset()?;
        let (start, offset_at_start) = self.time("Sleep onset", offset, zone, notes)?;
        let (end, offset_at_end) = self.time("Wake onset", offset, zone, notes)?;
        let time_in_bed = TimeInBed::new(start, end, Some(offset_at_start), Some(offset_at_end))
            .map_err(|error| format!("time in bed: {error}"))?;
        let (metrics, dropped) = SleepMetrics::from_totals(&time_in_bed, &self.totals(notes));
        if dropped {
            notes.add("the totals contradict the time in bed and were dropped");
        }
        let head = SleepRecordHead {
            key: SessionKey::derived_from(start),
            source: Some(SleepSource::parse("whoop").map_err(|error| error.to_string())?),
            time_in_bed,
            is_nap: self.is_nap()?,
        };
        SleepRecord::from_metrics(head, metrics).map_err(|error| error.to_string())
    }

    fn field(&self, name: &str) -> Option<&str> {
        field(self.columns, self.fields, name)
    }

    /// Returns the offset of the row, which WHOOP keeps even across clock changes.
    fn offset(&self) -> Result<Option<UtcOffset>, String> {
        let Some(text) = self.field("Cycle timezone") else { return Ok(None) };
        let offset = match text.strip_prefix("UTC").unwrap_or(text) {
            "" | "Z" => Some(UtcOffset::UTC),
            offset => UtcOffset::parse(offset).ok(),
        };
        offset.map(Some).ok_or_else(|| "Cycle timezone is not an offset such as UTC-04:00".to_owned())
    }

    fn time(
        &self,
        name: &str,
        offset: Option<UtcOffset>,
        zone: TimeZone,
        notes: &mut Notes,
    ) -> Result<(DateTime<Utc>, UtcOffset), String> {
        let text = self.field(name).ok_or_else(|| format!("{name} is missing"))?;
        let local = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"]
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
        let local = local.ok_or_else(|| format!("{name} is not a date and time"))?;
        let time = LocalTime { local, offset };
        if time.is_skipped(zone) {
            notes.add_once(SKIPPED);
        }
        time.resolve(zone).ok_or_else(|| format!("{name} is out of range"))
    }

    fn is_nap(&self) -> Result<Option<bool>, String> {
        match self.field("Nap").map(str::to_ascii_lowercase).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err("Nap is neither true nor false".to_owned()),
        }
    }

    fn totals(&self, notes: &mut Notes) -> SourceTotals {
        let mut unreadable = 0_usize;
        let mut minutes = |name: &str| {
            let text = self.field(name)?;
            let minutes = text.parse().ok().map(|minutes: f64| minutes * 60.0);
            let length = minutes.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            unreadable = unreadable.saturating_add(usize::from(length.is_none()));
            length
        };
        let totals = SourceTotals {
            asleep: minutes("Asleep duration (min)"),
            awake: minutes("Awake duration (min)"),
            light: minutes("Light sleep duration (min)"),
            deep: minutes("Deep (SWS) duration (min)"),
            rem: minutes("REM duration (min)"),
            ..SourceTotals::default()
        };
        notes.count(unreadable, "totals that are no numbers from 0 on were left out");
        let nothing =
            [totals.asleep, totals.awake].into_iter().all(|sum| sum.is_none_or(|sum| sum.is_zero()));
        if nothing { SourceTotals::default() } else { totals }
    }
}
