//! Words for stages, which the tables and the API share.

use domain::sleep::Stage;

/// Returns the stage of a word in any case; `None` if it is unknown.
pub(super) fn stage(word: &str) -> Option<Stage> {
    let word = word.trim().to_ascii_uppercase();
    let short = ["SLEEP_STAGE_TYPE_", "SLEEP_STAGE_"].iter().find_map(|prefix| word.strip_prefix(prefix));
    match short.unwrap_or(&word) {
        "AWAKE" | "WAKE" | "RESTLESS" => Some(Stage::Awake),
        "LIGHT" => Some(Stage::Light),
        "DEEP" => Some(Stage::Deep),
        "REM" => Some(Stage::Rem),
        "ASLEEP" => Some(Stage::Asleep),
        "UNSPECIFIED" => Some(Stage::Unknown),
        _ => None,
    }
}
