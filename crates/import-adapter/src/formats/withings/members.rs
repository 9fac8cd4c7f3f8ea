//! One element of a series as Withings writes it; unused members are omitted.

use crate::json::LooseScalar;
use serde::Deserialize;

/// A summary or an interval; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    pub(super) startdate: LooseScalar,
    pub(super) enddate: LooseScalar,
    /// Present only in intervals.
    pub(super) state: LooseScalar,
    /// Name of the device's model; a number in summaries.
    pub(super) model: LooseScalar,
    pub(super) hash_deviceid: LooseScalar,
    pub(super) id: LooseScalar,
    pub(super) timezone: LooseScalar,
    /// Present only in workouts, which otherwise look like summaries.
    pub(super) category: LooseScalar,
    pub(super) data: Option<Data>,
}

/// Totals of a summary in seconds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub(super) total_sleep_time: LooseScalar,
    /// For nights whose stages the device cannot distinguish.
    pub(super) asleepduration: LooseScalar,
    pub(super) wakeupduration: LooseScalar,
    pub(super) lightsleepduration: LooseScalar,
    pub(super) deepsleepduration: LooseScalar,
    pub(super) remsleepduration: LooseScalar,
    pub(super) sleep_latency: LooseScalar,
    /// Its older name.
    pub(super) durationtosleep: LooseScalar,
    pub(super) waso: LooseScalar,
    pub(super) wakeupcount: LooseScalar,
}
