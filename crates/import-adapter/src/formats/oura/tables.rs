//! Detection of tables, and their headers for messages.

use super::sleep_model::{self, SleepModel, unwrapped};
use super::trends::{self, Trends};
use crate::formats::{Format, OtherTable, TableHeader};
use crate::input::{Separator, TableFormat, split_fields};
use crate::recognised::RecognisedFile;
use crate::seen::Text;

/// Headers of the tables that are read.
pub(super) const TABLES: [TableHeader; 2] = [
    TableHeader { needs: &sleep_model::COLUMNS, knows: &[], separator: Separator::Semicolon },
    TableHeader { needs: &trends::COLUMNS, knows: &trends::ASLEEP, separator: Separator::Comma },
];

/// Tables without sessions.
pub(super) const OTHERS: [OtherTable; 6] = [
    OtherTable {
        columns: &["day", "score", "contributors"],
        advice: "this is Oura's table of scores of days, which contains no sleep sessions; import sleepmodel.csv from \
            the same export",
    },
    OtherTable {
        columns: &["day", "optimal_bedtime", "recommendation"],
        advice: "this is Oura's table of recommended times of sleep (sleeptime.csv); import sleepmodel.csv from the \
            same export",
    },
    OtherTable {
        columns: &["day", "class_5_min"],
        advice: "this is Oura's table of activity (dailyactivity.csv), which contains no sleep; import sleepmodel.csv \
            from the same export",
    },
    OtherTable {
        columns: &["day", "start_datetime", "end_datetime"],
        advice: "this is Oura's table of meditation or workouts, which contains no sleep; import sleepmodel.csv from \
            the same export",
    },
    OtherTable { columns: &["date", trends::ASLEEP[0]], advice: NO_TIMES },
    OtherTable { columns: &["date", trends::ASLEEP[1]], advice: NO_TIMES },
];

const NO_TIMES: &str = "this is Oura's table of trends without Bedtime Start and Bedtime End, so that the times of \
    nights are unknown; import sleepmodel.csv of the account's export";

/// Recognises a table by its columns.
pub(super) fn recognise(text: &Text) -> Option<RecognisedFile> {
    if is_header::<SleepModel<false>>(text) {
        return Some(RecognisedFile::table::<SleepModel<false>>(Format::Oura));
    }
    if is_header::<SleepModel<true>>(text) {
        return Some(RecognisedFile::table::<SleepModel<true>>(Format::Oura));
    }
    is_header::<Trends>(text).then(|| RecognisedFile::table::<Trends>(Format::Oura))
}

fn is_header<F: TableFormat>(text: &Text) -> bool {
    let line = text.first_line();
    let inner = unwrapped(line, F::SEPARATOR);
    split_fields(inner.as_deref().unwrap_or(line), F::SEPARATOR).is_some_and(|header| F::is_header(&header))
}
