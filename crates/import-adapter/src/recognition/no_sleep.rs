//! Known tables without anything to import, and what to import instead.

/// Columns that identify each table, and its message.
const TABLES: [(&[&str], &str); 4] = [
    (
        &["Cycle start time", "Recovery score %"],
        "this is WHOOP's table of cycles (physiological_cycles.csv), which is not a table of sleeps; import sleeps.csv of \
         the same export",
    ),
    (
        &["Cycle start time", "Workout start time"],
        "this is WHOOP's table of workouts (workouts.csv), which holds no sleep; import sleeps.csv of the same export",
    ),
    (
        &["Cycle start time", "Question text"],
        "this is WHOOP's journal (journal_entries.csv), which holds no sleep; import sleeps.csv of the same export",
    ),
    (
        &["sleep_log_entry_id", "overall_score"],
        "this is Fitbit's table of sleep scores (sleep_score.csv), which holds no nights; import the files sleep-*.json of \
         the same export",
    ),
];

/// Returns the message for a table with this header; `None` if it is not one of these.
pub(super) fn sentence(header: &[String]) -> Option<&'static str> {
    let has = |name: &&str| header.iter().any(|column| column == name);
    TABLES.iter().find(|(columns, _)| columns.iter().all(has)).map(|(_, sentence)| *sentence)
}
