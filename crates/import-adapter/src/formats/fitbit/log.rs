//! One sleep log as Fitbit writes it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// A log of any version; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Log {
    #[serde(rename = "logId")]
    pub(super) id: LooseScalar,
    pub(super) start_time: LooseScalar,
    pub(super) end_time: LooseScalar,
    /// Milliseconds, truncated to minutes.
    pub(super) duration: LooseScalar,
    pub(super) time_in_bed: LooseScalar,
    pub(super) minutes_to_fall_asleep: LooseScalar,
    pub(super) minutes_asleep: LooseScalar,
    pub(super) minutes_awake: LooseScalar,
    pub(super) awake_count: LooseScalar,
    /// The API's spelling.
    pub(super) is_main_sleep: LooseScalar,
    /// Takeout's spelling.
    pub(super) main_sleep: LooseScalar,
    pub(super) levels: Option<Levels>,
    /// Version 1.
    pub(super) minute_data: Bounded<Minute>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Levels {
    pub(super) data: Bounded<RawStage>,
    /// Short wakes on top of `data`.
    pub(super) short_data: Bounded<RawStage>,
    pub(super) summary: Summary,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawStage {
    #[serde(rename = "dateTime")]
    date_time: LooseScalar,
    datetime: LooseScalar,
    pub(super) level: LooseScalar,
    pub(super) seconds: LooseScalar,
}

impl RawStage {
    /// Returns the start, in either spelling of its name.
    pub(super) fn start(&self) -> Option<&str> {
        self.date_time.as_str().or_else(|| self.datetime.as_str())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Summary {
    pub(super) deep: Sum,
    pub(super) light: Sum,
    pub(super) rem: Sum,
    pub(super) wake: Sum,
    pub(super) asleep: Sum,
    pub(super) restless: Sum,
    pub(super) awake: Sum,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sum {
    pub(super) minutes: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Minute {
    #[serde(rename = "dateTime")]
    date_time: LooseScalar,
    datetime: LooseScalar,
    pub(super) value: LooseScalar,
}

impl Minute {
    /// Returns the time of day, in either spelling of its name.
    pub(super) fn clock(&self) -> Option<&str> {
        self.date_time.as_str().or_else(|| self.datetime.as_str())
    }
}
