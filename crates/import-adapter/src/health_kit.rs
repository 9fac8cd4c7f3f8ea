//! Values of `HealthKit`'s sleep samples, in whatever format they arrive.

use domain::sleep::Stage;

const VALUE_PREFIX: &str = "hkcategoryvaluesleepanalysis";

/// Returns the stage of a value, with or without its prefix, in any case; `None` for time in bed.
pub(crate) fn stage(value: &str) -> Result<Option<Stage>, &'static str> {
    let value = value.trim().to_ascii_lowercase();
    match value.strip_prefix(VALUE_PREFIX).unwrap_or(&value) {
        "inbed" => Ok(None),
        "awake" => Ok(Some(Stage::Awake)),
        "asleepcore" => Ok(Some(Stage::Light)),
        "asleepdeep" => Ok(Some(Stage::Deep)),
        "asleeprem" => Ok(Some(Stage::Rem)),
        // The only value before iOS 16.
        "asleep" | "asleepunspecified" => Ok(Some(Stage::Asleep)),
        _ => Err("is not a known sleep stage"),
    }
}
