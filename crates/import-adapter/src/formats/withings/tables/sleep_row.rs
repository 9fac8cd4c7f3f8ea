//! Rows of the table of nights, `sleep.csv`.

use crate::input::{Fields, TableFormat};
use crate::json::LooseScalar;
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::session::{self, Sums};
use crate::source::{Items, Notes};
use chrono::{DateTime, Utc};
use domain::sleep::{SourceTotals, TimeInBed};
use domain::time::{TimeZone, UtcOffset};
use std::time::Duration;

/// English names of the columns that are read, in order; the order is the same in every language.
pub(in super::super) const COLUMNS: [&str; 8] =
    ["from", "to", "light (s)", "deep (s)", "rem (s)", "awake (s)", "wake up", "Duration to sleep (s)"];

/// The table of nights.
pub(super) struct SleepTable;

impl TableFormat for SleepTable {
    const COLUMNS: &'static [&'static str] = &COLUMNS;

    /// Recognises a header by its first columns: two times, four lengths in seconds, and a number.
    fn is_header(columns: &[String]) -> bool {
        let is_length = [false, false, true, true, true, true, false, true];
        columns.len() >= is_length.len()
            && columns.iter().zip(is_length).all(|(column, expected)| is_in_seconds(column) == expected)
    }

    fn columns(header: Vec<String>) -> Vec<String> {
        let known = COLUMNS.map(str::to_owned).into_iter();
        known.chain(header.into_iter().skip(COLUMNS.len())).collect()
    }

    fn note_header(columns: &[String], place: &str, items: &mut Items) {
        if columns.iter().zip(COLUMNS).any(|(column, name)| !column.eq_ignore_ascii_case(name)) {
            items.note(place, "the column names are not English; the columns were read by their order");
        }
    }
}

fn is_in_seconds(column: &str) -> bool {
    ["(s)", "\u{ff08}s\u{ff09}"].iter().any(|unit| column.ends_with(unit))
}

/// A night of the table.
#[derive(Debug)]
pub(super) struct Night {
    pub(super) time_in_bed: TimeInBed,
    pub(super) totals: SourceTotals,
    pub(super) notes: Notes,
}

/// Reads a row; `zone` applies to times without an offset, as old exports have them.
pub(super) fn read(row: &Fields<'_>, zone: TimeZone) -> Result<Night, String> {
    let mut notes = Notes::default();
    let start = time(row, "from", zone, &mut notes)?;
    let end = time(row, "to", zone, &mut notes)?;
    let time_in_bed = session::time_in_bed(start, end)?;
    let mut sums = Sums::default();
    let mut seconds = |name: &str| sums.seconds(&value(row, name));
    let mut totals = SourceTotals {
        light: seconds("light (s)"),
        deep: seconds("deep (s)"),
        rem: seconds("rem (s)"),
        awake: seconds("awake (s)"),
        latency: seconds("Duration to sleep (s)"),
        ..SourceTotals::default()
    };
    totals.wakeups = sums.count(&value(row, "wake up"));
    totals.asleep = asleep(&totals);
    sums.note(&mut notes);
    Ok(Night { time_in_bed, totals, notes })
}

/// Returns the sum of the stages if all are stated.
fn asleep(totals: &SourceTotals) -> Option<Duration> {
    Some(totals.light?.saturating_add(totals.deep?).saturating_add(totals.rem?))
}

fn value(row: &Fields<'_>, name: &str) -> LooseScalar {
    let stated = row.get(name).filter(|text| !text.eq_ignore_ascii_case("NA"));
    stated.map_or(LooseScalar::Absent, |text| LooseScalar::Text(text.to_owned()))
}

fn time(
    row: &Fields<'_>,
    name: &str,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<(DateTime<Utc>, Option<UtcOffset>), String> {
    let text = row.get(name).ok_or_else(|| format!("{name} is missing"))?;
    let time = LocalTime::parse(&text.replacen(' ', "T", 1));
    let time = time.ok_or_else(|| format!("{name} is not a date and time"))?;
    if time.is_skipped(zone) {
        notes.add_once(SKIPPED_TIME_NOTE);
    }
    let (instant, offset) = time.resolve(zone).ok_or_else(|| format!("{name} is out of range"))?;
    Ok((instant, Some(offset)))
}
