//! One sleep document as Oura writes it; unused members are omitted.

use crate::json::Loose;
use serde::Deserialize;

/// A document of either version; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Period {
    pub(super) id: Loose,
    #[serde(rename = "type")]
    pub(super) kind: Loose,
    pub(super) bedtime_start: Loose,
    pub(super) bedtime_end: Loose,
    pub(super) total_sleep_duration: Loose,
    pub(super) awake_time: Loose,
    pub(super) light_sleep_duration: Loose,
    pub(super) deep_sleep_duration: Loose,
    pub(super) rem_sleep_duration: Loose,
    pub(super) latency: Loose,
    pub(super) sleep_phase_30_sec: Loose,
    pub(super) sleep_phase_5_min: Loose,
    pub(super) app_sleep_phase_5_min: Loose,
    /// Version 1: minutes by which local time is ahead of UTC.
    pub(super) timezone: Loose,
    /// Version 1: 1 for the longest sleep of a day.
    pub(super) is_longest: Loose,
    /// Version 1, like all members below.
    pub(super) total: Loose,
    pub(super) awake: Loose,
    pub(super) light: Loose,
    pub(super) deep: Loose,
    pub(super) rem: Loose,
    pub(super) onset_latency: Loose,
    pub(super) hypnogram_5min: Loose,
}

impl Period {
    /// Returns why the document is not sleep, if so: a false detection, or removed by the person.
    pub(super) fn is_no_sleep(&self) -> Option<&'static str> {
        match self.kind.as_str() {
            Some("rest") => Some("it is rest, not sleep, and was left out"),
            Some("deleted") => Some("it was deleted in Oura's app and was left out"),
            _ => None,
        }
    }

    /// Returns whether this was a nap, if the document says so.
    pub(super) fn is_nap(&self) -> Option<bool> {
        match self.kind.as_str() {
            Some("long_sleep") => Some(false),
            Some("sleep" | "late_nap") => Some(true),
            // The longest sleep of a day is not a nap; version 1 does not classify the others.
            _ => (self.is_longest.number() == Some(1.0)).then_some(false),
        }
    }

    /// Returns whether the kind of sleep is unknown.
    pub(super) fn is_of_unknown_kind(&self) -> bool {
        let known = matches!(self.kind.as_str(), Some("long_sleep" | "sleep" | "late_nap"));
        !self.kind.is_absent() && !known
    }
}
