//! Totals stated by a log.

use super::log::{Log, Summary};
use crate::json::LooseScalar;
use domain::sleep::SourceTotals;
use std::time::Duration;

/// Parses the totals of a log.
///
/// Fitbit writes `minutesToFallAsleep` as 0 for every log that it detected itself, so 0 means unknown there.
pub(super) fn read(log: &Log) -> SourceTotals {
    let none = Summary::default();
    let summary = log.levels.as_ref().map_or(&none, |levels| &levels.summary);
    let asleep = minutes(&log.minutes_asleep).or_else(|| minutes(&summary.asleep.minutes));
    let awake = minutes(&log.minutes_awake).or_else(|| awake(summary));
    SourceTotals {
        asleep,
        awake,
        light: minutes(&summary.light.minutes),
        deep: minutes(&summary.deep.minutes),
        rem: minutes(&summary.rem.minutes),
        latency: minutes(&log.minutes_to_fall_asleep).filter(|latency| !latency.is_zero()),
        wakeups: count(&log.awake_count),
        ..SourceTotals::default()
    }
}

fn awake(summary: &Summary) -> Option<Duration> {
    let parts = [&summary.wake, &summary.restless, &summary.awake].map(|sum| minutes(&sum.minutes));
    parts.into_iter().flatten().reduce(Duration::saturating_add)
}

fn minutes(value: &LooseScalar) -> Option<Duration> {
    value.number().and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok())
}

fn count(value: &LooseScalar) -> Option<u32> {
    value.identifier()?.parse().ok()
}
