//! `oura_…_trends.csv`: one row a day with its main night, which Oura's website offered before the account's
//! export.

use super::members::Period;
use super::session;
use super::sleep_model::value;
use crate::input::{Fields, TableFormat, has_columns};
use crate::json::LooseScalar;
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// Columns by which the table is recognised.
pub(super) const COLUMNS: [&str; 3] = ["date", START, END];
/// Names of the time asleep in both versions, one of which the table has.
pub(super) const ASLEEP: [&str; 2] = ["Total Sleep Duration", "Total Sleep Time"];

const START: &str = "Bedtime Start";
const END: &str = "Bedtime End";
const LIGHT: [&str; 2] = ["Light Sleep Duration", "Light Sleep Time"];
const DEEP: [&str; 2] = ["Deep Sleep Duration", "Deep Sleep Time"];
const REM: [&str; 2] = ["REM Sleep Duration", "REM Sleep Time"];

/// The table of trends.
pub(super) struct Trends;

impl TableFormat for Trends {
    const COLUMNS: &'static [&'static str] = &[
        "date",
        START,
        END,
        ASLEEP[0],
        ASLEEP[1],
        "Awake Time",
        LIGHT[0],
        LIGHT[1],
        DEEP[0],
        DEEP[1],
        REM[0],
        REM[1],
        "Sleep Latency",
    ];

    fn is_header(columns: &[String]) -> bool {
        has_columns(columns, &COLUMNS) && ASLEEP.iter().any(|name| has_columns(columns, &[name]))
    }

    /// Skips days without any value.
    fn is_skipped(row: &Fields<'_>) -> bool {
        row.get("date").is_some() && row.values.iter().filter(|value| !value.is_empty()).count() == 1
    }

    fn read(row: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        if row.get(START).is_none() || row.get(END).is_none() {
            let reason =
                "Bedtime Start or Bedtime End is missing; import sleepmodel.csv of the account's export";
            return items.reject(place, reason);
        }
        let mut notes = Notes::default();
        let outcome = session::read(&period(row), zone, &mut notes);
        let named = |reason: String| reason.replace("bedtime_start", START).replace("bedtime_end", END);
        items.finish_session(place, notes, outcome.map_err(named));
    }
}

fn period(row: &Fields<'_>) -> Period {
    let either = |[name, older]: [&str; 2]| match value(row, name) {
        LooseScalar::Absent => value(row, older),
        stated => stated,
    };
    Period {
        bedtime_start: value(row, START),
        bedtime_end: value(row, END),
        // The main night of a day is no nap.
        is_longest: LooseScalar::Integer(1),
        total_sleep_duration: either(ASLEEP),
        awake_time: value(row, "Awake Time"),
        light_sleep_duration: either(LIGHT),
        deep_sleep_duration: either(DEEP),
        rem_sleep_duration: either(REM),
        latency: value(row, "Sleep Latency"),
        ..Period::default()
    }
}
