//! Conversion of a row to a session.

use super::clock;
use crate::input::Fields;
use crate::json::LooseScalar;
use crate::session::{self, Sums};
use crate::source::Notes;
use chrono::TimeDelta;
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;

/// Names of one column in several versions.
type Names = [&'static str; 2];

const START: Names = ["Start", "Went to bed"];
const END: Names = ["End", "Woke up"];
/// The first is in hours and minutes.
pub(super) const IN_BED: Names = ["Time in bed", "Time in bed (seconds)"];
const LATENCY: Names = ["Time before sleep (seconds)", "Asleep after (seconds)"];
const ASLEEP: &str = "Time asleep (seconds)";
const AWAKE: &str = "Awake (seconds)";
const REM: &str = "Dream (seconds)";
const LIGHT: &str = "Light (seconds)";
const DEEP: &str = "Deep (seconds)";

/// Columns that are read.
pub(super) const COLUMNS: [&str; 13] = [
    START[0], START[1], END[0], END[1], IN_BED[0], IN_BED[1], LATENCY[0], LATENCY[1], ASLEEP, AWAKE, REM,
    LIGHT, DEEP,
];

/// Converts a row, or returns why it is invalid.
pub(super) fn read(row: &Fields<'_>, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    if row.values.len() > row.columns.len() {
        notes.add(
            "the row has more fields than the header; a note in it contains the character between columns",
        );
    }
    let [start, end] = [START, END].map(|names| {
        let name = name(row, names);
        clock::parse(name, row.get(name))
    });
    let mut sums = Sums::default();
    let stated = stated_length(row, &mut sums, notes);
    let (start, end) = clock::resolve((start?, end?), stated, zone, notes);
    let with_offset = |instant| (instant, Some(zone.offset_at(instant)));
    let time_in_bed = session::time_in_bed(with_offset(start), with_offset(end))?;
    let totals = totals(row, &mut sums);
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: SessionKey::derived_from(start),
        source: session::source("sleep cycle")?,
        time_in_bed,
        is_nap: None,
    };
    session::without_stages(head, metrics)
}

/// Returns the name that the header has.
fn name(row: &Fields<'_>, [one, other]: Names) -> &'static str {
    let has_other = row.columns.iter().any(|column| column.eq_ignore_ascii_case(other));
    if has_other { other } else { one }
}

/// Returns the stated time in bed.
fn stated_length(row: &Fields<'_>, sums: &mut Sums, notes: &mut Notes) -> Option<TimeDelta> {
    let [hours_and_minutes, seconds] = IN_BED;
    let Some(text) = row.get(hours_and_minutes) else {
        return TimeDelta::from_std(sums.seconds(&scalar(row, seconds))?).ok();
    };
    let length = clock::hours_and_minutes(text);
    if length.is_none() {
        notes.add(format!("{hours_and_minutes} is not a length such as 6:50"));
    }
    length
}

fn totals(row: &Fields<'_>, sums: &mut Sums) -> SourceTotals {
    let mut seconds = |name| sums.seconds(&scalar(row, name));
    SourceTotals {
        asleep: seconds(ASLEEP),
        awake: seconds(AWAKE),
        light: seconds(LIGHT),
        deep: seconds(DEEP),
        rem: seconds(REM),
        latency: seconds(name(row, LATENCY)),
        ..SourceTotals::default()
    }
}

/// Returns a number, which may have a decimal comma; absent if a dash stands for it.
fn scalar(row: &Fields<'_>, name: &str) -> LooseScalar {
    let text = row.get(name).filter(|text| !matches!(*text, "\u{2014}" | "\u{2013}" | "-" | "Not set"));
    text.map_or(LooseScalar::Absent, |text| LooseScalar::Text(text.replace(',', ".")))
}
