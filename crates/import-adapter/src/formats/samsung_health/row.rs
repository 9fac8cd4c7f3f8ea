//! Rows of the tables of sleep, of combined nights and of stages.

use super::nights::NightRow;
use crate::input::{Fields, TableFormat, has_columns};
use crate::join::{self, JoinedSession, JoinedStage};
use crate::json::LooseScalar;
use crate::local_time::named_offset;
use crate::session::{self, Sums};
use crate::source::Notes;
use chrono::{DateTime, Datelike as _, NaiveDateTime, Utc};
use domain::sleep::{SleepSource, SourceTotals, Stage};
use domain::time::{TimeZone, UtcOffset};
use std::time::Duration;

/// Source of the sessions that Samsung's app recorded, and the app's package.
pub(super) const SOURCE: &str = "samsung health";
const PACKAGE: &str = "com.sec.android.app.shealth";

const START: &str = "start_time";
const END: &str = "end_time";
const OFFSET: &str = "time_offset";
const ID: &str = "datauuid";
const GROUP: &str = "combined_id";

/// Length in milliseconds below which a latency has another unit.
const SHORTEST_LATENCY: f64 = 1000.0;

/// Any of the tables, whose columns may have the table's name in front.
pub(super) struct Table;

impl TableFormat for Table {
    const LINES_BEFORE_HEADER: u64 = 1;
    const TRAILING_SEPARATOR: bool = true;
    const COLUMNS: &'static [&'static str] = &[
        START,
        END,
        OFFSET,
        ID,
        "update_time",
        "pkg_name",
        GROUP,
        "total_light_duration",
        "total_rem_duration",
        "sleep_latency",
        "sleep_id",
        "stage",
    ];

    fn is_header(columns: &[String]) -> bool {
        let names: Vec<_> = columns.iter().map(|column| without_table(column).to_owned()).collect();
        has_columns(&names, &[START, END, ID])
    }

    fn columns(header: Vec<String>) -> Vec<String> {
        header.iter().map(|column| without_table(column).to_owned()).collect()
    }
}

/// Removes the name of a table, and a byte order mark, which some exports have before the header.
fn without_table(column: &str) -> &str {
    let column = column.trim_start_matches('\u{feff}');
    let name = column.strip_prefix("com.samsung.").and_then(|rest| rest.rsplit('.').next());
    name.unwrap_or(column)
}

/// Converts a row of the table of sleep or of combined nights, or returns why it is invalid.
pub(super) fn read_night(row: &Fields<'_>, line: u64, zone: TimeZone) -> Result<NightRow, String> {
    let mut notes = Notes::default();
    let id = join::id(row, ID)?;
    let (start, end) = (instant(row, START)?, instant(row, END)?);
    let offset = offset(row)?;
    if offset.is_none() {
        notes.add("time_offset is missing; the offset of the zone given for the import was used");
    }
    let offset_at = |at| Some(offset.unwrap_or_else(|| zone.offset_at(at)));
    let time_in_bed = session::time_in_bed((start, offset_at(start)), (end, offset_at(end)))?;
    let totals = totals(row, &mut notes);
    Ok(NightRow {
        id: id.into(),
        group: row.get(GROUP).map(|_| join::id(row, GROUP)).transpose()?.map(Into::into),
        file: 0,
        line,
        session: JoinedSession { time_in_bed, source: source(row)?, is_nap: None, totals },
        updated: instant(row, "update_time").ok(),
        notes,
    })
}

/// Converts a row of the table of stages to its session's id and the stage; also returns whether the stage is
/// unknown.
pub(super) fn read_stage<'a>(
    row: &'a Fields<'_>,
    zone: TimeZone,
) -> Result<(&'a str, JoinedStage, bool), String> {
    let id = join::id(row, "sleep_id")?;
    let code = row.get("stage").ok_or("stage is missing")?;
    let stage = match code.trim_end_matches(".0") {
        "40001" => Some(Stage::Awake),
        "40002" => Some(Stage::Light),
        "40003" => Some(Stage::Deep),
        "40004" => Some(Stage::Rem),
        _ => None,
    };
    let (start, end) = (instant(row, START)?, instant(row, END)?);
    let offset = offset(row)?.or_else(|| Some(zone.offset_at(start)));
    let joined = JoinedStage { stage: stage.unwrap_or(Stage::Unknown), start, end, offset };
    Ok((id, joined, stage.is_none()))
}

/// Parses a time in UTC, as which Samsung Health writes times without saying so.
fn instant(row: &Fields<'_>, name: &str) -> Result<DateTime<Utc>, String> {
    let text = row.get(name).ok_or_else(|| format!("{name} is missing"))?;
    let instant = if text.len() == 13 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok().and_then(DateTime::from_timestamp_millis)
    } else {
        let forms = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
        forms
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
            .map(|time| time.and_utc())
    };
    let instant = instant.ok_or_else(|| format!("{name} is not a date and time"))?;
    if instant.year() == 1970 {
        return Err(format!("{name} is in 1970, which stands for an unknown time"));
    }
    Ok(instant)
}

/// Parses an offset such as `UTC+0200`, or in milliseconds; `None` if the row has none.
fn offset(row: &Fields<'_>) -> Result<Option<UtcOffset>, String> {
    let Some(text) = row.get(OFFSET) else { return Ok(None) };
    let millis = || text.parse::<i32>().ok().and_then(|millis| UtcOffset::from_seconds(millis / 1000));
    let offset = named_offset(text).or_else(millis);
    offset.map(Some).ok_or_else(|| "time_offset is not an offset such as UTC+0200".to_owned())
}

/// Returns the app that wrote the row.
fn source(row: &Fields<'_>) -> Result<Option<SleepSource>, String> {
    let package = row.get("pkg_name").filter(|package| *package != PACKAGE);
    session::source(package.unwrap_or(SOURCE)).map_err(|reason| format!("pkg_name: {reason}"))
}

fn totals(row: &Fields<'_>, notes: &mut Notes) -> SourceTotals {
    let mut sums = Sums::default();
    let mut minutes = |name| sums.minutes(&scalar(row, name));
    let totals = SourceTotals {
        light: minutes("total_light_duration"),
        rem: minutes("total_rem_duration"),
        latency: latency(row, notes),
        ..SourceTotals::default()
    };
    sums.note(notes);
    totals
}

fn scalar(row: &Fields<'_>, name: &str) -> LooseScalar {
    row.get(name).map_or(LooseScalar::Absent, |text| LooseScalar::Text(text.to_owned()))
}

/// Returns the latency; -1 means that it is unknown.
fn latency(row: &Fields<'_>, notes: &mut Notes) -> Option<Duration> {
    let millis = scalar(row, "sleep_latency").number().filter(|millis| *millis >= 0.0)?;
    if 0.0 < millis && millis < SHORTEST_LATENCY {
        notes.add("a sleep_latency below one second, which is not in milliseconds, was omitted");
        return None;
    }
    Duration::try_from_secs_f64(millis / 1000.0).ok()
}
