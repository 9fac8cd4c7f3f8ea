//! Conversion of a record to a session.

use super::{clock, event};
use crate::input::Fields;
use crate::local_time::{SKIPPED_TIME_NOTE, is_skipped};
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;

/// A record: its header and its data.
pub(super) struct Record<'a>(pub(super) &'a Fields<'a>);

impl Record<'_> {
    /// Converts the record, or returns why it is invalid; `zone` applies to records without a known zone.
    pub(super) fn read(&self, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
        let zone = self.zone(zone, notes);
        let (from, to) = (self.time("From")?, self.time("To")?);
        if is_skipped(from, zone) || is_skipped(to, zone) {
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
            source: session::source("sleep as android")?,
            time_in_bed,
            is_nap: None,
        };
        SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).map_err(|error| error.to_string())
    }

    fn zone(&self, otherwise: TimeZone, notes: &mut Notes) -> TimeZone {
        let named = self.0.get("Tz").and_then(|name| TimeZone::parse(name).ok());
        named.unwrap_or_else(|| {
            notes.add("Tz is not a known time zone; the specified zone was used for the times");
            otherwise
        })
    }

    fn time(&self, name: &str) -> Result<chrono::NaiveDateTime, String> {
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
        pairs.filter(|(column, _)| *column == "Event").map(|(_, event)| event.as_str())
    }

    fn key(&self, start: DateTime<Utc>) -> Result<SessionKey, String> {
        match self.0.get("Id") {
            Some(id) => SessionKey::from_source(id).map_err(|error| format!("Id: {error}")),
            None => Ok(SessionKey::derived_from(start)),
        }
    }
}
