//! Nights by day, and medians of their durations.
//!
//! A session belongs to the [date of waking up](waking_date). Sources and naps are listed separately: no
//! figure merges or adds them.

mod nap;
mod spread;

pub use nap::mark_naps;
pub use spread::{Spread, unroll};

use super::waking_date;
use crate::id::SleepSessionId;
use crate::time::{TimeZone, UtcOffset};
use chrono::{DateTime, Datelike, Days, NaiveDate};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A session without its stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepSpan {
    /// Id of the session.
    pub id: SleepSessionId,
    /// Recording device or app, if known.
    pub source: Option<Box<str>>,
    /// Start of time in bed, in milliseconds since 1970-01-01 UTC.
    pub start_millis: i64,
    /// End of time in bed, in the same unit.
    pub end_millis: i64,
    /// UTC offset at the end, if known.
    pub offset_at_end: Option<UtcOffset>,
    /// Whether it is a nap, if known or [marked](mark_naps).
    pub is_nap: Option<bool>,
    /// Milliseconds asleep, if known.
    pub asleep_millis: Option<i64>,
}

impl SleepSpan {
    /// Returns the milliseconds in bed.
    pub const fn in_bed_millis(&self) -> i64 {
        self.end_millis.saturating_sub(self.start_millis)
    }

    /// Returns the date of waking up.
    pub fn date(&self, zone: TimeZone) -> NaiveDate {
        waking_date(self.end_millis, self.offset_at_end, zone)
    }

    /// Returns the UTC offset of the recording if it differs from that of the person's zone when the session
    /// ends; its times of day are those of this offset.
    pub fn own_offset(&self, zone: TimeZone) -> Option<UtcOffset> {
        let end = DateTime::from_timestamp_millis(self.end_millis).unwrap_or_default();
        self.offset_at_end.filter(|offset| *offset != zone.offset_at(end))
    }

    /// Returns whether it counts as a nap.
    pub fn is_nap(&self) -> bool {
        self.is_nap == Some(true)
    }
}

/// The sessions of one date of waking up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepDay<'s> {
    /// The date.
    pub date: NaiveDate,
    /// Its sessions by source, in the order of their names; no source first.
    pub sources: Vec<SourceDay<'s>>,
}

/// The sessions of one source and date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDay<'s> {
    /// The source, if known.
    pub source: Option<&'s str>,
    /// The longest session that is not a nap, the earliest of equal ones; `None` if all are naps.
    pub night: Option<&'s SleepSpan>,
    /// All other sessions, by start.
    pub others: Vec<&'s SleepSpan>,
}

/// Groups sessions by date and source; dates without a session are omitted.
pub fn days(spans: &[SleepSpan], zone: TimeZone) -> Vec<SleepDay<'_>> {
    let mut grouped: BTreeMap<_, BTreeMap<_, Vec<&SleepSpan>>> = BTreeMap::new();
    for span in spans {
        let of_date = grouped.entry(span.date(zone)).or_default();
        of_date.entry(span.source.as_deref()).or_default().push(span);
    }
    let by_date = |(date, sources): (_, BTreeMap<_, _>)| SleepDay {
        date,
        sources: sources.into_iter().map(|(source, spans)| source_day(source, spans)).collect(),
    };
    grouped.into_iter().map(by_date).collect()
}

fn source_day<'s>(source: Option<&'s str>, mut spans: Vec<&'s SleepSpan>) -> SourceDay<'s> {
    spans.sort_by_key(|span| (span.start_millis, span.id));
    let night = spans.iter().copied().filter(|span| !span.is_nap());
    let night = night.min_by_key(|span| (Reverse(span.in_bed_millis()), span.start_millis, span.id));
    let others = spans.into_iter().filter(|span| night.is_none_or(|night| night.id != span.id)).collect();
    SourceDay { source, night, others }
}

/// A night with its date of waking up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatedNight<'s> {
    /// The date.
    pub date: NaiveDate,
    /// The session.
    pub span: &'s SleepSpan,
}

/// Lists the nights of one source by date.
pub fn nights_of<'s>(days: &[SleepDay<'s>], source: Option<&str>) -> Vec<DatedNight<'s>> {
    let of_day = |day: &SleepDay<'s>| {
        let found = day.sources.iter().find(|found| found.source == source)?;
        found.night.map(|span| DatedNight { date: day.date, span })
    };
    days.iter().filter_map(of_day).collect()
}

/// A source with the number of its nights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceNights<'s> {
    /// The source, if known.
    pub source: Option<&'s str>,
    /// Number of nights; 0 if it has only naps.
    pub nights: usize,
}

/// Lists the sources, most nights first, then by name.
pub fn sources<'s>(days: &[SleepDay<'s>]) -> Vec<SourceNights<'s>> {
    let mut counts: BTreeMap<Option<&'s str>, usize> = BTreeMap::new();
    for source in days.iter().flat_map(|day| &day.sources) {
        *counts.entry(source.source).or_default() += usize::from(source.night.is_some());
    }
    let mut sources: Vec<_> =
        counts.into_iter().map(|(source, nights)| SourceNights { source, nights }).collect();
    sources.sort_by_key(|found| (Reverse(found.nights), found.source));
    sources
}

/// Durations of the nights of one period, such as a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodDurations {
    /// First date of the period.
    pub first: NaiveDate,
    /// Milliseconds in bed.
    pub in_bed: Spread,
    /// Milliseconds asleep, of the nights where they are known.
    pub asleep: Option<Spread>,
}

/// Summarizes nights by period; `first_of` returns the first date of the period of a date.
pub fn durations(nights: &[DatedNight<'_>], first_of: fn(NaiveDate) -> NaiveDate) -> Vec<PeriodDurations> {
    let mut grouped: BTreeMap<NaiveDate, Vec<&SleepSpan>> = BTreeMap::new();
    for night in nights {
        grouped.entry(first_of(night.date)).or_default().push(night.span);
    }
    let of_period = |(first, spans): (NaiveDate, Vec<&SleepSpan>)| {
        let in_bed = Spread::from_values(spans.iter().map(|span| span.in_bed_millis()).collect())?;
        let asleep = Spread::from_values(spans.iter().filter_map(|span| span.asleep_millis).collect());
        Some(PeriodDurations { first, in_bed, asleep })
    };
    grouped.into_iter().filter_map(of_period).collect()
}

/// Returns the Monday of a date's week.
pub fn week_of(date: NaiveDate) -> NaiveDate {
    let days = u64::from(date.weekday().num_days_from_monday());
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

/// Returns the first date of a date's month.
pub fn month_of(date: NaiveDate) -> NaiveDate {
    date.with_day(1).unwrap_or(date)
}

/// Returns the same date for all nights, so that [`durations`] summarizes them together.
pub fn all_together(_: NaiveDate) -> NaiveDate {
    NaiveDate::default()
}

#[cfg(test)]
mod tests;
