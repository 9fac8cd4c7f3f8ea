//! Conversion of a record to a session.

use super::clock::{self, Zone};
use super::event;
use crate::input::Fields;
use crate::local_time::SKIPPED_TIME_NOTE;
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, DurationRound, NaiveDateTime, TimeDelta, Utc};
use domain::sleep::{SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::{TimeZone, UtcOffset};

/// Number of zeros at the end of an id that a spreadsheet rounded; a time in milliseconds has fewer.
const ZEROS_OF_ROUNDED_ID: &str = "0000000";

/// A record: its header and its data.
pub(super) struct Record<'a>(pub(super) &'a Fields<'a>);

impl Record<'_> {
    /// Converts the record, or returns why it is invalid; `zone` applies to records without a known zone.
    pub(super) fn read(&self, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
        let (from, to) = (self.time("From")?, self.time("To")?);
        let zone = self.zone(from, zone, notes);
        if zone.is_skipped(from) || zone.is_skipped(to) {
            notes.add_once(SKIPPED_TIME_NOTE);
        }
        let start = clock::resolve(zone, from, self.recorded_at());
        let end = clock::resolve(zone, to, self.about_the_end(start));
        let with_offset = |instant| (instant, Some(zone.offset_at(instant)));
        let time_in_bed = session::time_in_bed(with_offset(start), with_offset(end))?;
        let hypnogram = event::hypnogram(self.events(), &time_in_bed, notes)?;
        let (metrics, _) = SleepMetrics::from_totals(&time_in_bed, &SourceTotals::default());
        let head = SleepRecordHead {
            key: self.key(start)?,
            source: session::source(super::SOURCE)?,
            time_in_bed,
            is_nap: None,
        };
        SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).map_err(|error| error.to_string())
    }

    /// Returns the zone `Tz`; if that is unknown, the offset by which `From` is ahead of `Id`.
    fn zone(&self, from: NaiveDateTime, otherwise: TimeZone, notes: &mut Notes) -> Zone {
        if let Some(zone) = self.0.get("Tz").and_then(Zone::parse) {
            return zone;
        }
        let known = self.recorded_at().and_then(|at| Some((at, offset_between(at, from)?)));
        match known {
            Some((at, offset)) if otherwise.offset_at(at) != offset => Zone::Fixed(offset),
            Some(_) => Zone::Named(otherwise),
            None => {
                notes.add("Tz is not a known time zone; the specified zone was used for the times");
                Zone::Named(otherwise)
            }
        }
    }

    fn time(&self, name: &str) -> Result<NaiveDateTime, String> {
        let text = self.0.get(name).ok_or_else(|| format!("{name} is missing"))?;
        clock::parse(text).ok_or_else(|| format!("{name} is not a date and time such as 09. 12. 2020 8:16"))
    }

    /// Returns the start of the recording: the id of most records is its time in milliseconds.
    fn recorded_at(&self) -> Option<DateTime<Utc>> {
        self.0.get("Id")?.parse().ok().and_then(DateTime::from_timestamp_millis)
    }

    /// Returns the end computed from the stated length; without one, a time after the start.
    fn about_the_end(&self, start: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let hours = self.0.get("Hours").and_then(|hours| hours.parse::<f64>().ok());
        let hours = hours.filter(|hours| (0.0..=1000.0).contains(hours)).unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "at most 1000 hours, checked above")]
        let length = TimeDelta::milliseconds((hours * 3_600_000.0) as i64);
        start.checked_add_signed(length)
    }

    fn events(&self) -> impl Iterator<Item = &str> {
        let pairs = self.0.columns.iter().zip(self.0.values);
        pairs.filter(|(column, _)| column.eq_ignore_ascii_case("Event")).map(|(_, event)| event.as_str())
    }

    fn key(&self, start: DateTime<Utc>) -> Result<SessionKey, String> {
        match self.0.get("Id").filter(|id| !is_rounded(id)) {
            Some(id) => SessionKey::from_source(id).map_err(|error| format!("Id: {error}")),
            None => Ok(SessionKey::derived_from(start)),
        }
    }
}

/// Returns the offset of a local time from the instant of the same minute; `None` if no zone has it.
fn offset_between(instant: DateTime<Utc>, local: NaiveDateTime) -> Option<UtcOffset> {
    let minute = instant.duration_trunc(TimeDelta::minutes(1)).ok()?;
    let minutes = local.and_utc().signed_duration_since(minute).num_minutes();
    let is_possible = minutes % 15 == 0 && (-12 * 60..=14 * 60).contains(&minutes);
    i16::try_from(minutes).ok().filter(|_| is_possible).and_then(UtcOffset::from_minutes)
}

/// Returns whether a spreadsheet has rounded an id: `1.78E+12`, or the same with zeros.
pub(super) fn is_rounded(id: &str) -> bool {
    let is_number = id.bytes().all(|byte| byte.is_ascii_digit() || b".,eE+-".contains(&byte));
    is_number && (id.bytes().any(|byte| !byte.is_ascii_digit()) || id.ends_with(ZEROS_OF_ROUNDED_ID))
}
