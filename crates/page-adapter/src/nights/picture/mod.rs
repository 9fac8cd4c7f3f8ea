//! Drawing of nights: from sessions to the shapes of [`crate::nights::picture::view`].

mod durations;
mod hypnogram;
mod raster;
mod regularity;
#[cfg(test)]
mod tests;
pub(crate) mod view;
mod year;

pub(crate) use durations::durations;
pub(crate) use hypnogram::{hypnogram, no_stages};
pub(crate) use raster::{Weeks, clock_change, raster, sleep_line};
pub(crate) use regularity::regularity;
pub(crate) use year::year;

use crate::moment;
use chrono::{Datelike, NaiveDate};
use domain::sleep::trend::{PeriodDurations, Spread};
use view::{PeriodLine, TextX, Tick};

/// Name of sessions whose source is unknown.
pub(crate) const NO_SOURCE: &str = "Unknown source";

/// Maximum number of characters of a source's name in a picture or table.
const MAX_NAME: usize = 40;

/// Returns the name of a source, shortened to fit a table.
pub(crate) fn source_name(source: Option<&str>) -> String {
    let name = source.unwrap_or(NO_SOURCE);
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Returns a position between two values on an axis of this width.
const fn scale(value: i64, from: i64, to: i64, width: i64) -> i64 {
    let span = if to > from { to - from } else { 1 };
    (value - from) * width / span
}

fn tick(x: i64, width: i64, label: String) -> Tick {
    Tick { x, text_x: TextX::above(x, width), label }
}

fn period_line(name: String, query: Option<String>, period: &PeriodDurations) -> PeriodLine {
    let median = |spread: Spread| moment::duration(spread.median);
    PeriodLine {
        name,
        query,
        n: period.in_bed.n,
        in_bed: median(period.in_bed),
        asleep: period.asleep.map(|asleep| (median(asleep), asleep.n)),
    }
}

/// Formats two dates: `23 to 29 March`, `30 March to 5 April`, `29 December 2025 to 4 January 2026`.
pub(crate) fn dates(first: NaiveDate, last: NaiveDate) -> String {
    if first.year() != last.year() {
        return dates_and_year(first, last);
    }
    let end = format!("{} {}", last.day(), moment::month(last));
    if first.month() == last.month() {
        format!("{} to {end}", first.day())
    } else {
        format!("{} {} to {end}", first.day(), moment::month(first))
    }
}

/// Formats two dates with their year: `23 to 29 March 2026`.
pub(crate) fn dates_and_year(first: NaiveDate, last: NaiveDate) -> String {
    if first.year() == last.year() {
        format!("{} {}", dates(first, last), last.year())
    } else {
        format!("{} to {}", moment::date(first), moment::date(last))
    }
}
