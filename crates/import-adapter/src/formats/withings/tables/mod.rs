//! The account's export: a table of nights, and tables of states of sleep, without ids.
//!
//! A night and its states are found by time after the last file.

mod nights;
mod reader;
mod recognition;
mod sleep_row;
mod state_row;
mod states;

pub(super) use recognition::recognise;

use crate::formats::{OtherTable, TableHeader};
use crate::input::Separator;

/// Headers of the tables.
pub(super) const TABLES: [TableHeader; 1] =
    [TableHeader { needs: &sleep_row::COLUMNS, knows: &[], separator: Separator::Comma }];

const RAW_ADVICE: &str = "this is a table of raw values from a Withings export, and they are not states of sleep; \
    import sleep.csv and raw_tracker_sleep-state.csv from the same export, or the whole zip";

/// Tables without sleep.
pub(super) const OTHERS: [OtherTable; 2] = [
    OtherTable { columns: &state_row::COLUMNS, advice: RAW_ADVICE },
    OtherTable {
        columns: &["from", "to", "Timezone", "Activity type"],
        advice: "this is Withings' table of activities (activities.csv), which contains no sleep; import sleep.csv \
            from the same export, or the whole zip",
    },
];

#[cfg(test)]
mod tests;
