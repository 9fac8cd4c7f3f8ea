//! Length of each night of a year.

use super::view::{Lines, PeriodLine, RowName, TextAlternative, Year};
use super::{period_line, tick};
use crate::moment;
use chrono::{Datelike, Months, NaiveDate};
use domain::counted;
use domain::sleep::trend::{DatedNight, PeriodDurations, all_together, durations as summarize, month_of};

/// Width of the place of one night.
const SLOT: i64 = 10;
const DAYS: i64 = 31;
const ROW_HEIGHT: i64 = 28;
/// Height of a night of 12 hours or more.
const FULL_HEIGHT: i64 = 24;
const FULL_MILLIS: i64 = 12 * 3_600_000;

/// Draws the nights of one source in a year.
pub(crate) fn year(nights: &[DatedNight<'_>], year: i32, source: String) -> Year {
    let mut lines = Lines::default();
    for night in nights {
        let (row, day) = (i64::from(night.date.month0()), i64::from(night.date.day0()));
        let length = night.span.asleep_millis.unwrap_or(night.span.in_bed_millis()).min(FULL_MILLIS);
        let height = (length * FULL_HEIGHT / FULL_MILLIS).max(1);
        let base = base(row);
        lines.vertical(day * SLOT + SLOT / 2, base, base - height);
    }
    let mut bases = Lines::default();
    for row in 0..12 {
        bases.horizontal(base(row), 0, SLOT * days_of(year, row));
    }
    let months = summarize(nights, month_of);
    Year {
        finding: finding(nights, year, months.len()),
        source,
        height: 12 * ROW_HEIGHT,
        rows: (0..12).map(row_name).collect(),
        nights: lines.into_path(),
        bases: bases.into_path(),
        ticks: [1, 8, 15, 22, 29]
            .map(|day| tick((day - 1) * SLOT + SLOT / 2, DAYS * SLOT, day.to_string()))
            .to_vec(),
        months: months.iter().map(month_line).collect(),
    }
}

const fn base(row: i64) -> i64 {
    row * ROW_HEIGHT + ROW_HEIGHT - 2
}

fn days_of(year: i32, row: i64) -> i64 {
    let first = u32::try_from(row).ok().and_then(|row| NaiveDate::from_ymd_opt(year, row + 1, 1));
    first.and_then(last_of_month).map_or(DAYS, |last| i64::from(last.day()))
}

fn last_of_month(first: NaiveDate) -> Option<NaiveDate> {
    first.checked_add_months(Months::new(1))?.pred_opt()
}

fn row_name(row: i64) -> RowName {
    let date = u32::try_from(row).ok().and_then(|row| NaiveDate::from_ymd_opt(2000, row + 1, 1));
    RowName { y: base(row) - 4, name: date.unwrap_or_default().format("%b").to_string() }
}

fn finding(nights: &[DatedNight<'_>], year: i32, months: usize) -> TextAlternative {
    let text = match summarize(nights, all_together).first() {
        None => "No nights.".to_owned(),
        Some(PeriodDurations { in_bed, asleep, .. }) => {
            let (what, spread) = asleep.map_or(("in bed", *in_bed), |asleep| ("asleep", asleep));
            let median = moment::duration(spread.median);
            let of = counted(months, "month");
            format!("Median of {} in {of}: {median} {what}.", counted(spread.n, "night"))
        }
    };
    TextAlternative { id: "year", title: format!("Nights of {year}"), text }
}

fn month_line(period: &PeriodDurations) -> PeriodLine {
    let last = last_of_month(period.first).unwrap_or(period.first);
    period_line(moment::month(period.first), Some(format!("to={last}")), period)
}
