//! Stages by the numbers of Health Connect, or by words for them.

use domain::sleep::Stage;

/// Returns the stage with a number; `None` if the number has no meaning.
pub(super) const fn of_number(number: i64) -> Option<Stage> {
    match number {
        0 => Some(Stage::Unknown),
        // Awake, out of bed, and awake in bed.
        1 | 3 | 7 => Some(Stage::Awake),
        2 => Some(Stage::Asleep),
        4 => Some(Stage::Light),
        5 => Some(Stage::Deep),
        6 => Some(Stage::Rem),
        _ => None,
    }
}

/// Returns the stage with a number or a word; `None` if the text has no meaning.
pub(super) fn of_text(text: &str) -> Option<Stage> {
    if let Ok(number) = text.parse() {
        return of_number(number);
    }
    let word = text.to_ascii_lowercase();
    // Names of constants of the library.
    let prefix = ["stage_type_", "sleep_stage_"].into_iter().find_map(|prefix| word.strip_prefix(prefix));
    let word = prefix.unwrap_or(&word);
    match word.strip_prefix("sleeping_").unwrap_or(word) {
        "unknown" => Some(Stage::Unknown),
        "awake" | "out_of_bed" | "awake_in_bed" | "awake_out_of_bed" => Some(Stage::Awake),
        "sleeping" => Some(Stage::Asleep),
        "light" => Some(Stage::Light),
        "deep" => Some(Stage::Deep),
        "rem" => Some(Stage::Rem),
        _ => None,
    }
}

/// Returns whether the word is the time in bed, which is no stage, of a session that was formed from samples.
pub(super) fn is_in_bed(text: &str) -> bool {
    text.eq_ignore_ascii_case("in_bed")
}
