//! Measures of a night in words.

use super::view::{Figure, MetricLine};
use crate::moment;
use domain::sleep::{MetricKind, MetricUnit, MetricValue, SleepRecord};

/// Returns the main figures of a night, as far as they are known.
pub(crate) fn figures(record: &SleepRecord) -> Vec<Figure> {
    let kinds = [
        MetricKind::TimeNightAsleep,
        MetricKind::TimeNightInBed,
        MetricKind::SleepEfficiency,
        MetricKind::TimeNightDeep,
        MetricKind::TimeNightRem,
    ];
    let figure = |kind| {
        let value = text(kind, record.metrics().get(kind)?);
        Some(Figure { name: words(kind).0, value, note: None })
    };
    kinds.into_iter().filter_map(figure).collect()
}

/// Describes every known measure.
pub(crate) fn metric_lines(record: &SleepRecord) -> Vec<MetricLine> {
    let line = |(kind, value)| {
        let (name, meaning) = words(kind);
        MetricLine { name, value: text(kind, value), meaning }
    };
    record.metrics().iter().map(line).collect()
}

/// Formats a value with its unit.
fn text(kind: MetricKind, value: MetricValue) -> String {
    let number = value.as_f64();
    match kind.unit() {
        MetricUnit::Seconds if number > 0.0 && number < 59.5 => format!("{number:.0} s"),
        MetricUnit::Seconds => {
            let seconds = std::time::Duration::try_from_secs_f64(number).unwrap_or_default();
            moment::duration(i64::try_from(seconds.as_millis()).unwrap_or(i64::MAX))
        }
        MetricUnit::Percent => format!("{number:.1}%"),
        MetricUnit::Count => format!("{number:.0}"),
    }
}

/// Returns the name of a measure and what it means.
const fn words(kind: MetricKind) -> (&'static str, &'static str) {
    use MetricKind as K;
    match kind {
        K::TimeNightInBed => ("In bed", "from going to bed to getting up"),
        K::TimeNightAsleep => ("Asleep", "all sleep of the night"),
        K::TimeNightAwake => ("Awake", "total time awake in bed"),
        K::TimeNightLight => ("Light sleep", "stages N1 and N2"),
        K::TimeNightDeep => ("Deep sleep", "stage N3, slow waves"),
        K::TimeNightRem => ("REM sleep", "rapid eye movements"),
        K::PercentageNightAwake => ("Awake, share", "of the time in bed"),
        K::PercentageNightLight => ("Light sleep, share", "of the time in bed"),
        K::PercentageNightDeep => ("Deep sleep, share", "of the time in bed"),
        K::PercentageNightRem => ("REM sleep, share", "of the time in bed"),
        K::PercentageSleepAwake => {
            ("Awake after falling asleep, share", "of the time from first to last sleep")
        }
        K::PercentageSleepLight => ("Light sleep, share of sleep", "of the time from first to last sleep"),
        K::PercentageSleepDeep => ("Deep sleep, share of sleep", "of the time from first to last sleep"),
        K::PercentageSleepRem => ("REM sleep, share of sleep", "of the time from first to last sleep"),
        K::TimeSleepAwake => ("Awake after falling asleep", "between first and last sleep"),
        K::SleepLatency => ("Time to fall asleep", "from going to bed to first sleep"),
        K::SleepEfficiency => ("Efficiency", "share of the time in bed spent asleep"),
        K::SleepWakeups => ("Awakenings", "between first and last sleep"),
        K::WakeupsOver15Minutes => ("Long awakenings", "of 15 minutes or more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_measure_has_its_own_name() {
        let names: HashSet<_> = MetricKind::ALL.iter().map(|kind| words(*kind).0).collect();
        assert_eq!(names.len(), MetricKind::ALL.len());
    }

    #[test]
    fn values_have_their_unit() {
        let value = |number| MetricValue::from_f64(number).unwrap();
        assert_eq!(text(MetricKind::SleepLatency, value(45.2)), "45 s");
        assert_eq!(text(MetricKind::SleepLatency, value(0.0)), "0 min");
        assert_eq!(text(MetricKind::TimeNightAsleep, value(26_100.0)), "7 h 15 min");
        assert_eq!(text(MetricKind::SleepEfficiency, value(93.75)), "93.8%");
        assert_eq!(text(MetricKind::SleepWakeups, value(3.0)), "3");
    }
}
