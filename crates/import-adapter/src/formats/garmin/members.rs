//! One day as Garmin writes it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// A day as in the API; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Day {
    #[serde(rename = "dailySleepDTO")]
    pub(super) night: Option<Night>,
    #[serde(rename = "sleepLevels")]
    pub(super) levels: Bounded<Stretch>,
    #[serde(rename = "dailyNapDTOS")]
    pub(super) naps: Bounded<Nap>,
    /// The same list by its name in the export.
    #[serde(rename = "napList")]
    pub(super) nap_list: Bounded<Nap>,
}

/// Night of a day.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Night {
    pub(super) id: LooseScalar,
    #[serde(rename = "sleepStartTimestampGMT")]
    pub(super) start: LooseScalar,
    #[serde(rename = "sleepEndTimestampGMT")]
    pub(super) end: LooseScalar,
    /// Start in local time, written as if it were GMT.
    #[serde(rename = "sleepStartTimestampLocal")]
    pub(super) start_local: LooseScalar,
    #[serde(rename = "sleepEndTimestampLocal")]
    pub(super) end_local: LooseScalar,
    pub(super) sleep_time_seconds: LooseScalar,
    pub(super) deep_sleep_seconds: LooseScalar,
    pub(super) light_sleep_seconds: LooseScalar,
    pub(super) rem_sleep_seconds: LooseScalar,
    pub(super) awake_sleep_seconds: LooseScalar,
    pub(super) awake_count: LooseScalar,
    pub(super) nap_time_seconds: LooseScalar,
    pub(super) sleep_window_confirmation_type: LooseScalar,
    #[serde(rename = "dailyNapDTOS")]
    pub(super) naps: Bounded<Nap>,
    pub(super) nap_list: Bounded<Nap>,
}

/// Window that Garmin inserted for a night that it did not detect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UndetectedNight {
    /// The person's usual window; no sleep was detected.
    Unconfirmed,
    /// The device was not worn.
    OffWrist,
}

impl Night {
    /// Returns why Garmin did not detect this night; `None` if it did.
    pub(super) fn unseen(&self) -> Option<UndetectedNight> {
        match self.sleep_window_confirmation_type.word()?.as_str() {
            "unconfirmed" => Some(UndetectedNight::Unconfirmed),
            "off_wrist" => Some(UndetectedNight::OffWrist),
            _ => None,
        }
    }

    /// Returns whether the device measured any stage of sleep.
    pub(super) fn has_measured_sleep(&self) -> bool {
        let stages = [&self.deep_sleep_seconds, &self.light_sleep_seconds, &self.rem_sleep_seconds];
        stages.iter().any(|sum| sum.number().is_some_and(|seconds| seconds > 0.0))
    }

    /// Returns whether no sleep was recorded or the device was not worn.
    pub(super) fn has_no_sleep(&self) -> bool {
        let times = [&self.start, &self.end];
        let sums = [
            &self.sleep_time_seconds,
            &self.deep_sleep_seconds,
            &self.light_sleep_seconds,
            &self.rem_sleep_seconds,
        ];
        times.iter().all(|time| time.is_absent())
            && sums.iter().all(|sum| sum.is_absent() || sum.number() == Some(0.0))
    }
}

/// One interval of a stage.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stretch {
    #[serde(rename = "startGMT")]
    pub(super) start: LooseScalar,
    #[serde(rename = "endGMT")]
    pub(super) end: LooseScalar,
    #[serde(rename = "activityLevel")]
    pub(super) level: LooseScalar,
}

/// One nap.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Nap {
    #[serde(rename = "napStartTimestampGMT")]
    pub(super) start: LooseScalar,
    #[serde(rename = "napEndTimestampGMT")]
    pub(super) end: LooseScalar,
    #[serde(rename = "napTimeSec")]
    pub(super) seconds: LooseScalar,
}
