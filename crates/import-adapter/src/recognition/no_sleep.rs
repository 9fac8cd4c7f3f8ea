//! Known tables without anything to import, and what to import instead.

use crate::input::has_columns;

/// Columns that identify each table, and its message.
const TABLES: [(&[&str], &str); 4] = [
    (
        &["Cycle start time", "Recovery score %"],
        "this is WHOOP's table of cycles (physiological_cycles.csv), which contains no sleep sessions; \
         import sleeps.csv from the same export",
    ),
    (
        &["Cycle start time", "Workout start time"],
        "this is WHOOP's table of workouts (workouts.csv), which contains no sleep; import sleeps.csv from \
         the same export",
    ),
    (
        &["Cycle start time", "Question text"],
        "this is WHOOP's journal (journal_entries.csv), which contains no sleep; import sleeps.csv from the \
         same export",
    ),
    (
        &["sleep_log_entry_id", "overall_score"],
        "this is Fitbit's table of sleep scores (sleep_score.csv), which contains no nights; import the \
         sleep-*.json files from the same export",
    ),
];

/// Returns the message for a table with this header; `None` if it is not one of these.
pub(super) fn sentence(header: &[String]) -> Option<&'static str> {
    TABLES.iter().find(|(columns, _)| has_columns(header, columns)).map(|(_, sentence)| *sentence)
}
