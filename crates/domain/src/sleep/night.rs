//! Sums over the stages of a night, from which metrics are computed.

use super::{Hypnogram, MetricKind, MetricValue, SleepMetrics, Stage, StageEntry, TimeInBed};

/// Minimum length of an awakening in `wakeupsOver15Minutes`, in milliseconds.
const LONG_WAKEUP_MILLIS: i64 = 15 * 60_000;

/// Milliseconds in each stage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StageSums {
    awake: i64,
    light: i64,
    deep: i64,
    rem: i64,
    asleep: i64,
    unknown: i64,
}

impl StageSums {
    fn add(mut self, entry: &StageEntry) -> Self {
        let sum = match entry.stage() {
            Stage::Awake => &mut self.awake,
            Stage::Light => &mut self.light,
            Stage::Deep => &mut self.deep,
            Stage::Rem => &mut self.rem,
            Stage::Asleep => &mut self.asleep,
            Stage::Unknown => &mut self.unknown,
        };
        *sum = sum.saturating_add(entry.millis());
        self
    }

    /// Returns whether light, deep or REM sleep was recorded.
    const fn has_stages(&self) -> bool {
        self.light > 0 || self.deep > 0 || self.rem > 0
    }

    /// Returns the total sleep of all stages.
    const fn all_sleep(&self) -> i64 {
        self.light.saturating_add(self.deep).saturating_add(self.rem).saturating_add(self.asleep)
    }

    /// Returns the time asleep or awake, which is all except UNKNOWN.
    const fn known(&self) -> i64 {
        self.awake.saturating_add(self.all_sleep())
    }
}

/// Returns a sum; `None` if it is 0 and `unexplained`, the time that may contain it, is not.
fn unless_hidden<N: Default + PartialEq>(sum: N, unexplained: i64) -> Option<N> {
    (sum != N::default() || unexplained <= 0).then_some(sum)
}

/// Time from first falling asleep to last waking, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
struct SleepPeriod {
    start: i64,
    end: i64,
    sums: StageSums,
    wakeups: u32,
    long_wakeups: u32,
}

impl SleepPeriod {
    /// Returns the sleep period; `None` if there was no sleep.
    fn from_hypnogram(hypnogram: &Hypnogram) -> Option<Self> {
        let entries = hypnogram.entries();
        let first = entries.iter().position(|entry| entry.stage().is_asleep())?;
        let last = entries.iter().rposition(|entry| entry.stage().is_asleep())?;
        let within = entries.get(first..=last)?;
        let mut period = Self {
            start: within.first()?.start_millis(),
            end: within.last()?.end_millis(),
            sums: within.iter().fold(StageSums::default(), StageSums::add),
            wakeups: 0,
            long_wakeups: 0,
        };
        for length in awakenings(within) {
            period.wakeups = period.wakeups.saturating_add(1);
            period.long_wakeups = period.long_wakeups.saturating_add(u32::from(length >= LONG_WAKEUP_MILLIS));
        }
        Some(period)
    }

    const fn millis(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns the time of which it is unknown whether the person was asleep.
    const fn unexplained(&self) -> i64 {
        self.millis().saturating_sub(self.sums.known())
    }
}

/// Returns the lengths of the awakenings in milliseconds; adjacent AWAKE entries are one awakening.
fn awakenings(entries: &[StageEntry]) -> Vec<i64> {
    let mut lengths: Vec<i64> = Vec::new();
    let mut awake_until = None;
    for entry in entries.iter().filter(|entry| entry.stage() == Stage::Awake) {
        match lengths.last_mut() {
            Some(length) if awake_until == Some(entry.start()) => {
                *length = length.saturating_add(entry.millis());
            }
            _ => lengths.push(entry.millis()),
        }
        awake_until = Some(entry.end());
    }
    lengths
}

/// Sums of one night.
#[derive(Debug, Clone, Copy)]
pub(super) struct Night {
    sums: StageSums,
    period: Option<SleepPeriod>,
}

impl Night {
    pub(super) fn from_hypnogram(hypnogram: &Hypnogram) -> Self {
        let sums = hypnogram.entries().iter().fold(StageSums::default(), StageSums::add);
        Self { sums, period: SleepPeriod::from_hypnogram(hypnogram) }
    }

    pub(super) fn metrics(&self, time_in_bed: &TimeInBed) -> SleepMetrics {
        let mut metrics = SleepMetrics::of_time_in_bed(time_in_bed);
        if self.sums.known() > 0 {
            self.put_night(&mut metrics, time_in_bed);
        }
        if let Some(period) = self.period {
            self.put_period(&mut metrics, &period, time_in_bed);
        }
        metrics
    }

    fn put_night(&self, metrics: &mut SleepMetrics, time_in_bed: &TimeInBed) {
        let (sums, in_bed) = (&self.sums, time_in_bed.millis());
        let mut put =
            |kind, sum: Option<i64>| metrics.put(kind, sum.and_then(MetricValue::seconds_from_millis));
        let unexplained = in_bed.saturating_sub(sums.known());
        let asleep = unless_hidden(sums.all_sleep(), unexplained);
        let awake = unless_hidden(sums.awake, unexplained);
        let [light, deep, rem] = self.stages();
        put(MetricKind::TimeNightAsleep, asleep);
        put(MetricKind::TimeNightAwake, awake);
        put(MetricKind::TimeNightLight, light);
        put(MetricKind::TimeNightDeep, deep);
        put(MetricKind::TimeNightRem, rem);
        let mut put = |kind, part: Option<i64>| {
            metrics.put(kind, part.and_then(|part| MetricValue::percent_of(part, in_bed)));
        };
        put(MetricKind::PercentageNightAwake, awake);
        put(MetricKind::SleepEfficiency, asleep);
        put(MetricKind::PercentageNightLight, light);
        put(MetricKind::PercentageNightDeep, deep);
        put(MetricKind::PercentageNightRem, rem);
    }

    fn put_period(&self, metrics: &mut SleepMetrics, period: &SleepPeriod, time_in_bed: &TimeInBed) {
        let unexplained = period.unexplained();
        let awake = unless_hidden(period.sums.awake, unexplained);
        let count = |count| unless_hidden(count, unexplained).map(MetricValue::from_count);
        let latency = period.start.saturating_sub(time_in_bed.start_millis());
        metrics.put(MetricKind::SleepLatency, MetricValue::seconds_from_millis(latency));
        metrics.put(MetricKind::TimeSleepAwake, awake.and_then(MetricValue::seconds_from_millis));
        metrics.put(MetricKind::SleepWakeups, count(period.wakeups));
        metrics.put(MetricKind::WakeupsOver15Minutes, count(period.long_wakeups));
        let mut put = |kind, part: Option<i64>| {
            metrics.put(kind, part.and_then(|part| MetricValue::percent_of(part, period.millis())));
        };
        let [light, deep, rem] = self.stages();
        put(MetricKind::PercentageSleepAwake, awake);
        put(MetricKind::PercentageSleepLight, light);
        put(MetricKind::PercentageSleepDeep, deep);
        put(MetricKind::PercentageSleepRem, rem);
    }

    /// Returns light, deep and REM sleep, all of which lies within the sleep period.
    fn stages(&self) -> [Option<i64>; 3] {
        let sums = &self.sums;
        [sums.light, sums.deep, sums.rem]
            .map(|sum| sums.has_stages().then_some(sum).and_then(|sum| unless_hidden(sum, sums.asleep)))
    }
}
