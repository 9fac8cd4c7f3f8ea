//! `sleepmodel.csv` of the account's export: documents of version 2 as rows.

use super::members::Period;
use crate::input::{Fields, Separator, TableFormat, has_columns, split_fields};
use crate::json::LooseScalar;
use crate::source::Items;
use domain::time::TimeZone;

/// Columns by which the table is recognised; it may have others in any order.
pub(super) const COLUMNS: [&str; 4] = ["bedtime_start", "bedtime_end", "type", "total_sleep_duration"];

/// The table; it has semicolons, or commas after some programs.
pub(super) struct SleepModel<const HAS_COMMAS: bool>;

impl<const HAS_COMMAS: bool> TableFormat for SleepModel<HAS_COMMAS> {
    const SEPARATOR: Separator = if HAS_COMMAS { Separator::Comma } else { Separator::Semicolon };
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "type",
        "bedtime_start",
        "bedtime_end",
        "total_sleep_duration",
        "awake_time",
        "light_sleep_duration",
        "deep_sleep_duration",
        "rem_sleep_duration",
        "latency",
        "sleep_phase_30_sec",
        "sleep_phase_5_min",
        "app_sleep_phase_5_min",
    ];

    fn is_header(columns: &[String]) -> bool {
        has_columns(columns, &COLUMNS)
    }

    fn correct_line(line: &mut Vec<u8>) {
        if line.first() == Some(&b'"')
            && let Some(inner) =
                std::str::from_utf8(line).ok().and_then(|text| unwrapped(text, Self::SEPARATOR))
        {
            *line = inner.into_bytes();
        }
    }

    fn read(row: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        super::add(&period(row), zone, place, items);
    }
}

/// Returns the fields of a line that was quoted as a whole, as some programs do; `None` if it was not.
pub(super) fn unwrapped(line: &str, separator: Separator) -> Option<String> {
    let [inner] = <[String; 1]>::try_from(split_fields(line, separator)?).ok()?;
    let has_several = split_fields(&inner, separator).is_some_and(|fields| fields.len() > 1);
    has_several.then_some(inner)
}

fn period(row: &Fields<'_>) -> Period {
    let value = |name| value(row, name);
    Period {
        id: value("id"),
        kind: value("type"),
        bedtime_start: value("bedtime_start"),
        bedtime_end: value("bedtime_end"),
        total_sleep_duration: value("total_sleep_duration"),
        awake_time: value("awake_time"),
        light_sleep_duration: value("light_sleep_duration"),
        deep_sleep_duration: value("deep_sleep_duration"),
        rem_sleep_duration: value("rem_sleep_duration"),
        latency: value("latency"),
        sleep_phase_30_sec: phases(value("sleep_phase_30_sec")),
        sleep_phase_5_min: phases(value("sleep_phase_5_min")),
        app_sleep_phase_5_min: phases(value("app_sleep_phase_5_min")),
        ..Period::default()
    }
}

/// Returns the value in a column; absent if it is missing, empty, or a word of other programs for that.
pub(super) fn value(row: &Fields<'_>, name: &str) -> LooseScalar {
    let is_stated = |text: &&str| !["null", "nan"].iter().any(|word| text.eq_ignore_ascii_case(word));
    row.get(name).filter(is_stated).map_or(LooseScalar::Absent, |text| LooseScalar::Text(text.to_owned()))
}

/// Returns digits as a text, and `4.42E+30` as the number that a spreadsheet made of them.
fn phases(value: LooseScalar) -> LooseScalar {
    let is_power = |text: &str| text.contains(['e', 'E']) && text.parse::<f64>().is_ok();
    if value.as_str().is_some_and(is_power) { value.number().map_or(value, LooseScalar::Real) } else { value }
}
