//! Values of `HealthKit`'s sleep samples, in whatever format they arrive.

use domain::sleep::Stage;

const VALUE_PREFIX: &str = "hkcategoryvaluesleepanalysis";

/// Returns the stage of a value; `None` for time in bed. The case, blanks, and the prefix, also with a dot
/// after it, do not matter.
pub(crate) fn stage(value: &str) -> Result<Option<Stage>, &'static str> {
    let word =
        value.chars().filter(|letter| !letter.is_whitespace()).map(|letter| letter.to_ascii_lowercase());
    let word: String = word.collect();
    let word = word.strip_prefix(VALUE_PREFIX).map_or(word.as_str(), |case| case.trim_start_matches('.'));
    match word {
        "inbed" => Ok(None),
        "awake" => Ok(Some(Stage::Awake)),
        // Without "asleep" as apps shorten them.
        "asleepcore" | "core" => Ok(Some(Stage::Light)),
        "asleepdeep" | "deep" => Ok(Some(Stage::Deep)),
        "asleeprem" | "rem" => Ok(Some(Stage::Rem)),
        // "Asleep" is the only value before iOS 16.
        "asleep" | "asleepunspecified" | "unspecified" => Ok(Some(Stage::Asleep)),
        _ => Err("is not a known sleep stage"),
    }
}

#[cfg(test)]
mod tests {
    use super::stage;
    use domain::sleep::Stage;

    #[test]
    fn words_that_apps_shorten_are_stages() {
        for (words, expected) in [
            (["Core", "AsleepCore", "HKCategoryValueSleepAnalysis.asleepCore"], Some(Stage::Light)),
            (["Deep", "asleep deep", "HKCategoryValueSleepAnalysisAsleepDeep"], Some(Stage::Deep)),
            (["REM", "rem", "AsleepREM"], Some(Stage::Rem)),
            (["Unspecified", "Asleep", "HKCategoryValueSleepAnalysisAsleepUnspecified"], Some(Stage::Asleep)),
            (["Awake", " awake ", "HKCategoryValueSleepAnalysis.awake"], Some(Stage::Awake)),
            (["In Bed", "InBed", "In\u{a0}Bed"], None),
        ] {
            for word in words {
                assert_eq!(stage(word), Ok(expected), "{word}");
            }
        }
    }

    #[test]
    fn other_words_are_no_stages() {
        for word in ["", " ", ".", "4", "Light", "Corebed", "HKCategoryValueSleepAnalysis", ".core"] {
            assert!(stage(word).is_err(), "{word}");
        }
    }
}
