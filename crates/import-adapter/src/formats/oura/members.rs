//! One sleep document as Oura writes it; unused members are omitted.

use crate::json::LooseScalar;
use serde::Deserialize;

/// A document of either version; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Period {
    pub(super) id: LooseScalar,
    #[serde(rename = "type")]
    pub(super) kind: LooseScalar,
    pub(super) bedtime_start: LooseScalar,
    pub(super) bedtime_end: LooseScalar,
    pub(super) total_sleep_duration: LooseScalar,
    pub(super) awake_time: LooseScalar,
    pub(super) light_sleep_duration: LooseScalar,
    pub(super) deep_sleep_duration: LooseScalar,
    pub(super) rem_sleep_duration: LooseScalar,
    pub(super) latency: LooseScalar,
    pub(super) sleep_phase_30_sec: LooseScalar,
    pub(super) sleep_phase_5_min: LooseScalar,
    pub(super) app_sleep_phase_5_min: LooseScalar,
    /// Version 1: minutes by which local time is ahead of UTC.
    pub(super) timezone: LooseScalar,
    /// Version 1: 1 for the longest sleep of a day.
    pub(super) is_longest: LooseScalar,
    /// Version 1, like all members below.
    pub(super) total: LooseScalar,
    pub(super) awake: LooseScalar,
    pub(super) light: LooseScalar,
    pub(super) deep: LooseScalar,
    pub(super) rem: LooseScalar,
    pub(super) onset_latency: LooseScalar,
    pub(super) hypnogram_5min: LooseScalar,
}

impl Period {
    /// Returns why the document is not sleep, if so: a false detection, or removed by the person.
    pub(super) fn is_no_sleep(&self) -> Option<&'static str> {
        match self.kind.word().as_deref() {
            Some("rest") => Some("it is rest, not sleep, and was left out"),
            Some("deleted") => Some("it was deleted in Oura's app and was left out"),
            _ => None,
        }
    }

    /// Returns whether this was a nap, if the document says so.
    pub(super) fn is_nap(&self) -> Option<bool> {
        match self.kind.word().as_deref() {
            Some("long_sleep") => Some(false),
            Some("sleep" | "late_nap") => Some(true),
            // The longest sleep of a day is not a nap; version 1 does not classify the others.
            _ => (self.is_longest.number() == Some(1.0)).then_some(false),
        }
    }

    /// Returns whether the kind of sleep is unknown.
    pub(super) fn is_of_unknown_kind(&self) -> bool {
        let known = matches!(self.kind.word().as_deref(), Some("long_sleep" | "sleep" | "late_nap"));
        !self.kind.is_absent() && !known
    }
}
