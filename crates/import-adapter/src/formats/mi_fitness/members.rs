//! A recording as Mi Fitness writes it; unused members are omitted.

use crate::input::Fields;
use crate::json::{Bounded, LooseScalar, decode};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// A night or a nap, in a row or in a report.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Recording {
    pub(super) bedtime: LooseScalar,
    pub(super) device_bedtime: LooseScalar,
    pub(super) bed_timestamp: LooseScalar,
    pub(super) wake_up_time: LooseScalar,
    pub(super) device_wake_up_time: LooseScalar,
    pub(super) out_bed_timestamp: LooseScalar,
    /// Offset in quarters of an hour.
    pub(super) timezone: LooseScalar,
    /// Time asleep in minutes.
    pub(super) duration: LooseScalar,
    pub(super) sleep_deep_duration: LooseScalar,
    pub(super) sleep_light_duration: LooseScalar,
    pub(super) sleep_rem_duration: LooseScalar,
    pub(super) sleep_awake_duration: LooseScalar,
    pub(super) awake_count: LooseScalar,
    pub(super) is_nap: LooseScalar,
    #[serde(rename = "isNap")]
    pub(super) is_nap_in_camel_case: LooseScalar,
    pub(super) is_uncomplete: LooseScalar,
    pub(super) items: Bounded<Item>,
}

/// Whether the band had completed a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Completion {
    Complete,
    Incomplete,
}

impl Recording {
    /// Returns whether the band had completed it.
    pub(super) fn completion(&self) -> Completion {
        if self.is_uncomplete.as_flag() == Some(true) { Completion::Incomplete } else { Completion::Complete }
    }
}

/// One interval of a stage.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item {
    pub(super) start_time: LooseScalar,
    pub(super) end_time: LooseScalar,
    pub(super) state: LooseScalar,
}

/// Report of a day.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DailyReport {
    pub(super) total_duration: LooseScalar,
    pub(super) segment_details: Bounded<Recording>,
}

/// Parses the JSON of a row, or returns what is wrong with it.
pub(super) fn value<T: DeserializeOwned>(row: &Fields<'_>) -> Result<T, String> {
    let text = row.get("Value").ok_or("Value is missing")?;
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        // A quote of a file that was saved as UTF-7.
        let is_other_encoding = text.contains("+ACI");
        return Err(if is_other_encoding {
            "Value is text in UTF-7; import the file as it was exported".to_owned()
        } else {
            "Value is not JSON".to_owned()
        });
    }
    decode(text).map_err(|reason| format!("Value: {reason}"))
}
