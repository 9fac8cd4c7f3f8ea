//! Conversion of a row to a night.

use super::{NULL, SOURCE, stamp};
use crate::input::Fields;
use crate::json::LooseScalar;
use crate::session::{self, Sums};
use crate::source::Notes;
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;
use std::time::Duration;

const DEEP: &str = "deepSleepTime";
const LIGHT: &str = "shallowSleepTime";
const REM: &str = "REMTime";
const AWAKE: &str = "wakeTime";
const NAPS: &str = "naps";

/// Columns that are read.
pub(super) const COLUMNS: [&str; 7] = [DEEP, LIGHT, AWAKE, "start", "stop", REM, NAPS];

/// Length of a day; a greater number of minutes is something else.
const DAY: Duration = Duration::from_hours(24);

/// Returns whether a row stands for a day without a night: it ends where it starts, and has no minutes.
pub(super) fn is_empty(row: &Fields<'_>) -> bool {
    let is_zero = |name: &&str| row.get(name).is_none_or(|minutes| minutes == NULL || minutes == "0");
    row.get("start") == row.get("stop") && [DEEP, LIGHT, REM, AWAKE].iter().all(is_zero)
}

/// Converts a row, or returns why it is invalid.
pub(super) fn read(row: &Fields<'_>, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let start = stamp::parse("start", row.get("start"), zone)?;
    let end = stamp::parse("stop", row.get("stop"), zone)?;
    let time_in_bed = session::time_in_bed(start, end)?;
    let mut sums = Sums::default();
    let totals = totals(row, &mut sums, notes);
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    let has_naps = row.columns.iter().any(|column| column.eq_ignore_ascii_case(NAPS));
    let head = SleepRecordHead {
        key: SessionKey::derived_from(time_in_bed.start()),
        source: session::source(SOURCE)?,
        time_in_bed,
        // Without the column, a row may be either.
        is_nap: has_naps.then_some(false),
    };
    session::without_stages(head, metrics)
}

fn totals(row: &Fields<'_>, sums: &mut Sums, notes: &mut Notes) -> SourceTotals {
    let mut too_long = 0_usize;
    let mut minutes = |name: &str| {
        let text = row.get(name).filter(|text| *text != NULL).map(str::to_owned);
        let length = sums.minutes(&text.map_or(LooseScalar::Absent, LooseScalar::Text))?;
        too_long = too_long.saturating_add(usize::from(length > DAY));
        (length <= DAY).then_some(length)
    };
    let (deep, light, rem, awake) = (minutes(DEEP), minutes(LIGHT), minutes(REM), minutes(AWAKE));
    notes.count(too_long, "totals of more than a day were omitted");
    let has_rem = row.get(REM).is_some_and(|text| text != NULL);
    let of_asleep = [deep, light, if has_rem { rem } else { Some(Duration::ZERO) }];
    let asleep = of_asleep.into_iter().collect::<Option<Vec<_>>>().map(|lengths| lengths.into_iter().sum());
    // A device that does not distinguish REM sleep writes 0 for every night.
    let rem = rem.filter(|rem| !rem.is_zero());
    SourceTotals { asleep, awake, light, deep, rem, ..SourceTotals::default() }
}
