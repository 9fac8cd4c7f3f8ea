//! Totals stated by a log.

use super::log::{Log, Summary};
use crate::session::Sums;
use domain::sleep::SourceTotals;
use std::time::Duration;

/// Parses the totals of a log.
///
/// Fitbit writes `minutesToFallAsleep` as 0 for every log that it detected itself, so 0 means unknown there.
pub(super) fn read(log: &Log, sums: &mut Sums) -> SourceTotals {
    let none = Summary::default();
    let summary = log.levels.as_ref().map_or(&none, |levels| &levels.summary);
    let asleep = sums.minutes(&log.minutes_asleep).or_else(|| sums.minutes(&summary.asleep.minutes));
    let awake = sums.minutes(&log.minutes_awake).or_else(|| awake(summary, sums));
    SourceTotals {
        asleep,
        awake,
        light: sums.minutes(&summary.light.minutes),
        deep: sums.minutes(&summary.deep.minutes),
        rem: sums.minutes(&summary.rem.minutes),
        latency: sums.minutes(&log.minutes_to_fall_asleep).filter(|latency| !latency.is_zero()),
        wakeups: sums.count(&log.awake_count),
        ..SourceTotals::default()
    }
}

fn awake(summary: &Summary, sums: &mut Sums) -> Option<Duration> {
    let parts = [&summary.wake, &summary.restless, &summary.awake].map(|sum| sums.minutes(&sum.minutes));
    parts.into_iter().flatten().reduce(Duration::saturating_add)
}
