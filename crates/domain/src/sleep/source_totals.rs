//! Totals of a source that sends no stages.

use super::{MetricKind, MetricValue, SleepMetrics, TimeInBed};
use std::time::Duration;

/// Tolerance for sums of a source's totals in milliseconds: sources round each number to a minute.
const ROUNDING_MILLIS: i64 = 2 * 60_000;

/// A source's totals of a night; absent values are unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceTotals {
    /// All sleep.
    pub asleep: Option<Duration>,
    /// Awake in bed, from going to bed to getting up.
    pub awake: Option<Duration>,
    /// Light sleep.
    pub light: Option<Duration>,
    /// Deep sleep.
    pub deep: Option<Duration>,
    /// REM sleep.
    pub rem: Option<Duration>,
    /// From going to bed to falling asleep.
    pub latency: Option<Duration>,
    /// Awake between first falling asleep and last waking (wake after sleep onset).
    pub awake_after_onset: Option<Duration>,
    /// Awakenings.
    pub wakeups: Option<u32>,
    /// Awakenings of 15 minutes or more.
    pub wakeups_over_15_minutes: Option<u32>,
}

/// The totals in milliseconds, with derived values.
#[derive(Debug, Clone, Copy)]
struct Totals {
    in_bed: i64,
    asleep: Option<i64>,
    awake: Option<i64>,
    light: Option<i64>,
    deep: Option<i64>,
    rem: Option<i64>,
    latency: Option<i64>,
    awake_after_onset: Option<i64>,
}

impl SourceTotals {
    /// Converts the totals to metrics; the flag reports that they were dropped.
    ///
    /// If one total exceeds the time in bed, or two contradict each other, it is unclear which number is
    /// wrong, so all are dropped. Sums may exceed their limit by two minutes, because sources round each
    /// number to a minute. Awake is then reduced so that in bed = asleep + awake + unknown holds.
    ///
    /// Derived values: asleep, if light, deep and REM are all given; the percentages of the sleep period, if
    /// asleep and awake after onset are known. If light, deep and REM are all 0 although there was sleep, the
    /// source did not distinguish them; 0 also means unknown where parts do not add up to their whole.
    pub(super) fn metrics(&self, time_in_bed: &TimeInBed) -> (SleepMetrics, bool) {
        let mut metrics = SleepMetrics::of_time_in_bed(time_in_bed);
        if self.are_silent() {
            return (metrics, false);
        }
        let totals = Totals::new(self, time_in_bed);
        if totals.is_contradictory() || self.wakeups_over_15_minutes > self.wakeups.or(Some(u32::MAX)) {
            return (metrics, true);
        }
        let had_sleep = totals.asleep != Some(0);
        let totals = totals.without_hidden_zeros().rounded();
        totals.put_night(&mut metrics);
        if had_sleep {
            totals.put_period(&mut metrics);
            let is_hidden = self.awake.is_some() && totals.awake.is_none();
            let count = |count: Option<u32>| {
                count.filter(|count| *count > 0 || !is_hidden).map(MetricValue::from_count)
            };
            metrics.put(MetricKind::SleepWakeups, count(self.wakeups));
            metrics.put(MetricKind::WakeupsOver15Minutes, count(self.wakeups_over_15_minutes));
        }
        (metrics, false)
    }

    /// Returns whether all totals are 0 or absent, which says nothing about a night.
    pub fn are_silent(&self) -> bool {
        let Self { asleep, awake, light, deep, rem, latency, awake_after_onset, .. } = *self;
        let lengths = [asleep, awake, light, deep, rem, latency, awake_after_onset];
        lengths.iter().flatten().all(Duration::is_zero)
            && [self.wakeups, self.wakeups_over_15_minutes].iter().flatten().all(|count| *count == 0)
    }
}

impl Totals {
    fn new(totals: &SourceTotals, time_in_bed: &TimeInBed) -> Self {
        let millis =
            |total: Option<Duration>| total.map(|total| i64::try_from(total.as_millis()).unwrap_or(i64::MAX));
        let stages = [totals.light, totals.deep, totals.rem];
        let are_distinguished = stages.iter().flatten().any(|total| !total.is_zero());
        let stage = |total| millis(total).filter(|_| are_distinguished);
        let (light, deep, rem) = (stage(totals.light), stage(totals.deep), stage(totals.rem));
        let sum_of_stages = || Some(light?.saturating_add(deep?).saturating_add(rem?));
        Self {
            in_bed: time_in_bed.millis(),
            asleep: millis(totals.asleep).or_else(sum_of_stages),
            awake: millis(totals.awake),
            light,
            deep,
            rem,
            latency: millis(totals.latency),
            awake_after_onset: millis(totals.awake_after_onset),
        }
    }

    /// Returns the sum of the known totals.
    fn sum<const N: usize>(totals: [Option<i64>; N]) -> i64 {
        totals.into_iter().flatten().fold(0, i64::saturating_add)
    }

    fn is_contradictory(&self) -> bool {
        let all =
            [self.asleep, self.awake, self.light, self.deep, self.rem, self.latency, self.awake_after_onset];
        let stages = Self::sum([self.light, self.deep, self.rem]);
        let with_rounding = self.in_bed.saturating_add(ROUNDING_MILLIS);
        all.into_iter().flatten().any(|total| total > self.in_bed)
            || stages > self.in_bed
            || self.asleep.is_some_and(|asleep| stages > asleep.saturating_add(ROUNDING_MILLIS))
            || Self::sum([self.asleep, self.awake]) > with_rounding
            || Self::sum([self.asleep, self.latency, self.awake_after_onset]) > with_rounding
    }

    /// Removes each 0 that is less than what is unexplained: time in bed that is neither asleep nor awake may
    /// be either, and sleep without a stage may be of any.
    fn without_hidden_zeros(self) -> Self {
        let in_bed = self.in_bed.saturating_sub(Self::sum([self.asleep, self.awake]));
        let sleep = self.asleep.unwrap_or(0).saturating_sub(Self::sum([self.light, self.deep, self.rem]));
        let unless_hidden = |total: Option<i64>, unexplained: i64| {
            total.filter(|total| *total > 0 || unexplained <= ROUNDING_MILLIS)
        };
        let awake = unless_hidden(self.awake, in_bed);
        let is_hidden = self.awake.is_some() && awake.is_none();
        Self {
            asleep: unless_hidden(self.asleep, in_bed),
            awake,
            light: unless_hidden(self.light, sleep),
            deep: unless_hidden(self.deep, sleep),
            rem: unless_hidden(self.rem, sleep),
            awake_after_onset: self.awake_after_onset.filter(|total| *total > 0 || !is_hidden),
            ..self
        }
    }

    /// Removes the excess caused by rounding.
    fn rounded(self) -> Self {
        let left = self.in_bed.saturating_sub(self.asleep.unwrap_or(0));
        let cut = |total: Option<i64>| total.map(|total| total.min(left));
        Self { awake: cut(self.awake), awake_after_onset: cut(self.awake_after_onset), ..self }
    }

    fn put_night(&self, metrics: &mut SleepMetrics) {
        let seconds = |total: Option<i64>| total.and_then(MetricValue::seconds_from_millis);
        let percent = |part: Option<i64>| part.and_then(|part| MetricValue::percent_of(part, self.in_bed));
        metrics.put(MetricKind::TimeNightAsleep, seconds(self.asleep));
        metrics.put(MetricKind::TimeNightAwake, seconds(self.awake));
        metrics.put(MetricKind::TimeNightLight, seconds(self.light));
        metrics.put(MetricKind::TimeNightDeep, seconds(self.deep));
        metrics.put(MetricKind::TimeNightRem, seconds(self.rem));
        metrics.put(MetricKind::PercentageNightAwake, percent(self.awake));
        metrics.put(MetricKind::PercentageNightLight, percent(self.light));
        metrics.put(MetricKind::PercentageNightDeep, percent(self.deep));
        metrics.put(MetricKind::PercentageNightRem, percent(self.rem));
        metrics.put(MetricKind::SleepEfficiency, percent(self.asleep));
    }

    fn put_period(&self, metrics: &mut SleepMetrics) {
        let seconds = |total: Option<i64>| total.and_then(MetricValue::seconds_from_millis);
        metrics.put(MetricKind::TimeSleepAwake, seconds(self.awake_after_onset));
        metrics.put(MetricKind::SleepLatency, seconds(self.latency));
        let (Some(asleep), Some(awake)) = (self.asleep, self.awake_after_onset) else {
            return;
        };
        let period = asleep.saturating_add(awake);
        let percent =
            |part: Option<i64>| part.and_then(|part| MetricValue::percent_of(part.min(period), period));
        metrics.put(MetricKind::PercentageSleepAwake, percent(Some(awake)));
        metrics.put(MetricKind::PercentageSleepLight, percent(self.light));
        metrics.put(MetricKind::PercentageSleepDeep, percent(self.deep));
        metrics.put(MetricKind::PercentageSleepRem, percent(self.rem));
    }
}

#[cfg(test)]
mod tests;
