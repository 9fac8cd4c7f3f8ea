//! One night as Polar writes it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A night of the export or of the API; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Night {
    #[serde(rename = "night")]
    pub(super) day: LooseScalar,
    pub(super) evaluation: Option<Evaluation>,
    #[serde(rename = "sleepResult")]
    pub(super) result: Option<SleepResult>,
    /// The API, like all members below.
    pub(super) date: LooseScalar,
    pub(super) sleep_start_time: LooseScalar,
    pub(super) sleep_end_time: LooseScalar,
    pub(super) light_sleep: LooseScalar,
    pub(super) deep_sleep: LooseScalar,
    pub(super) rem_sleep: LooseScalar,
    pub(super) total_interruption_duration: LooseScalar,
    /// Codes of stages by local time of their start.
    pub(super) hypnogram: Option<BTreeMap<String, LooseScalar>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SleepResult {
    pub(super) hypnogram: Option<Hypnogram>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hypnogram {
    #[serde(rename = "sleepStart")]
    pub(super) start: LooseScalar,
    #[serde(rename = "sleepEnd")]
    pub(super) end: LooseScalar,
    #[serde(rename = "sleepStateChanges")]
    pub(super) changes: Bounded<Change>,
}

/// Beginning of a stage.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Change {
    pub(super) offset_from_start: LooseScalar,
    pub(super) state: LooseScalar,
}

/// Totals of the export, as ISO 8601 durations.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Evaluation {
    pub(super) asleep_duration: LooseScalar,
    pub(super) interruptions: Option<Interruptions>,
    pub(super) phase_durations: Option<PhaseDurations>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Interruptions {
    pub(super) total_duration: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PhaseDurations {
    pub(super) rem: LooseScalar,
    pub(super) light: LooseScalar,
    pub(super) deep: LooseScalar,
}
