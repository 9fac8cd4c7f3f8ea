//! Names of the metrics.

use super::MetricValue;

crate::named_enum! {
    /// A metric of a session (decisions 6), in the order of the API.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MetricKind {
        /// `timeNightInBed`: seconds in bed.
        TimeNightInBed = "timeNightInBed",
        /// `timeNightAsleep`: seconds asleep.
        TimeNightAsleep = "timeNightAsleep",
        /// `timeNightAwake`: seconds awake in bed.
        TimeNightAwake = "timeNightAwake",
        /// `timeNightLight`: seconds of light sleep.
        TimeNightLight = "timeNightLight",
        /// `timeNightDeep`: seconds of deep sleep.
        TimeNightDeep = "timeNightDeep",
        /// `timeNightRem`: seconds of REM sleep.
        TimeNightRem = "timeNightRem",
        /// `percentageNightAwake`: percent of the time in bed.
        PercentageNightAwake = "percentageNightAwake",
        /// `percentageNightLight`: percent of the time in bed.
        PercentageNightLight = "percentageNightLight",
        /// `percentageNightDeep`: percent of the time in bed.
        PercentageNightDeep = "percentageNightDeep",
        /// `percentageNightRem`: percent of the time in bed.
        PercentageNightRem = "percentageNightRem",
        /// `percentageSleepAwake`: percent of the sleep period.
        PercentageSleepAwake = "percentageSleepAwake",
        /// `percentageSleepLight`: percent of the sleep period.
        PercentageSleepLight = "percentageSleepLight",
        /// `percentageSleepDeep`: percent of the sleep period.
        PercentageSleepDeep = "percentageSleepDeep",
        /// `percentageSleepRem`: percent of the sleep period.
        PercentageSleepRem = "percentageSleepRem",
        /// `timeSleepAwake`: seconds awake within the sleep period.
        TimeSleepAwake = "timeSleepAwake",
        /// `sleepLatency`: seconds from in bed to first asleep.
        SleepLatency = "sleepLatency",
        /// `sleepEfficiency`: percent of the time in bed spent asleep.
        SleepEfficiency = "sleepEfficiency",
        /// `sleepWakeups`: awakenings within the sleep period.
        SleepWakeups = "sleepWakeups",
        /// `wakeupsOver15Minutes`: awakenings of 15 minutes or more.
        WakeupsOver15Minutes = "wakeupsOver15Minutes",
    }
}

/// Unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricUnit {
    /// Seconds, with a fraction down to milliseconds.
    Seconds,
    /// Percent, 0 to 100.
    Percent,
    /// A whole number.
    Count,
}

impl MetricKind {
    /// Returns the stored number of the metric, 1 to 19. Numbers never change; new metrics get the next one.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the metric with a stored number.
    #[inline]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code.checked_sub(1)?)).copied()
    }

    /// Returns the unit.
    #[inline]
    pub const fn unit(self) -> MetricUnit {
        match self {
            Self::TimeNightInBed
            | Self::TimeNightAsleep
            | Self::TimeNightAwake
            | Self::TimeNightLight
            | Self::TimeNightDeep
            | Self::TimeNightRem
            | Self::TimeSleepAwake
            | Self::SleepLatency => MetricUnit::Seconds,
            Self::PercentageNightAwake
            | Self::PercentageNightLight
            | Self::PercentageNightDeep
            | Self::PercentageNightRem
            | Self::PercentageSleepAwake
            | Self::PercentageSleepLight
            | Self::PercentageSleepDeep
            | Self::PercentageSleepRem
            | Self::SleepEfficiency => MetricUnit::Percent,
            Self::SleepWakeups | Self::WakeupsOver15Minutes => MetricUnit::Count,
        }
    }

    /// Returns whether a value is possible for this metric: never negative, percentages at most 100, counts
    /// whole.
    #[inline]
    pub fn accepts(self, value: MetricValue) -> bool {
        if value.is_negative() {
            return false;
        }
        match self.unit() {
            MetricUnit::Seconds => true,
            MetricUnit::Percent => value.is_at_most_a_hundred(),
            MetricUnit::Count => value.as_integer().is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MetricKind, MetricValue};

    #[test]
    fn every_spelling_and_every_code_leads_back_to_its_metric() {
        for (kind, code) in MetricKind::ALL.into_iter().zip(1..) {
            assert_eq!(kind.code(), code);
            assert_eq!(MetricKind::from_code(code), Some(kind));
            assert_eq!(MetricKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(MetricKind::from_code(0), None);
        assert_eq!(MetricKind::from_code(20), None);
        assert_eq!(MetricKind::parse("timenightinbed"), None);
        assert!(MetricKind::ALL.is_sorted());
    }

    #[test]
    fn a_value_must_fit_what_the_metric_counts() {
        let value = |number| MetricValue::from_f64(number).unwrap();
        assert!(MetricKind::SleepEfficiency.accepts(value(100.0)));
        assert!(!MetricKind::SleepEfficiency.accepts(value(100.0001)));
        assert!(!MetricKind::SleepWakeups.accepts(value(1.5)));
        assert!(MetricKind::SleepWakeups.accepts(value(3.0)));
        assert!(!MetricKind::SleepLatency.accepts(value(-0.001)));
        assert!(MetricKind::SleepLatency.accepts(value(0.0)));
    }
}
