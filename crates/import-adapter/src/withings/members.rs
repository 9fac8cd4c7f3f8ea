//! One element of a series as Withings writes it; what is not needed is not named.

use crate::json::Loose;
use serde::Deserialize;

/// A summary or a stretch; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    pub(super) startdate: Loose,
    pub(super) enddate: Loose,
    /// Only stretches have one.
    pub(super) state: Loose,
    /// The name of the device's model; a number in summaries.
    pub(super) model: Loose,
    pub(super) hash_deviceid: Loose,
    pub(super) id: Loose,
    pub(super) timezone: Loose,
    /// Only workouts have one, which otherwise look like summaries.
    pub(super) category: Loose,
    pub(super) data: Option<Data>,
}

/// What a summary says, in seconds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub(super) total_sleep_time: Loose,
    /// Of nights whose stages the device cannot tell.
    pub(super) asleepduration: Loose,
    pub(super) wakeupduration: Loose,
    pub(super) lightsleepduration: Loose,
    pub(super) deepsleepduration: Loose,
    pub(super) remsleepduration: Loose,
    pub(super) sleep_latency: Loose,
    /// The older name of the same.
    pub(super) durationtosleep: Loose,
    pub(super) waso: Loose,
    pub(super) wakeupcount: Loose,
}
