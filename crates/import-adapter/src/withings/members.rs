//! One element of a series as Withings writes it; unused members are omitted.

use crate::json::Loose;
use serde::Deserialize;

/// A summary or an interval; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    pub(super) startdate: Loose,
    pub(super) enddate: Loose,
    /// Present only in intervals.
    pub(super) state: Loose,
    /// Name of the device's model; a number in summaries.
    pub(super) model: Loose,
    pub(super) hash_deviceid: Loose,
    pub(super) id: Loose,
    pub(super) timezone: Loose,
    /// Present only in workouts, which otherwise look like summaries.
    pub(super) category: Loose,
    pub(super) data: Option<Data>,
}

/// Totals of a summary in seconds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub(super) total_sleep_time: Loose,
    /// For nights whose stages the device cannot distinguish.
    pub(super) asleepduration: Loose,
    pub(super) wakeupduration: Loose,
    pub(super) lightsleepduration: Loose,
    pub(super) deepsleepduration: Loose,
    pub(super) remsleepduration: Loose,
    pub(super) sleep_latency: Loose,
    /// Its older name.
    pub(super) durationtosleep: Loose,
    pub(super) waso: Loose,
    pub(super) wakeupcount: Loose,
}
