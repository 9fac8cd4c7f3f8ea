//! Names of stages and metrics with the JSON around them.

use super::json::{Piece, piece};
use domain::sleep::{MetricKind, Stage};
use std::sync::LazyLock;

/// Prefix of a stage, with room for the longest name.
type StagePrefix = Piece<32>;
/// Prefix of a metric, with room for the longest name.
type MetricPrefix = Piece<48>;

/// Prefix of each stage and each metric.
pub(super) struct NamePrefixes {
    stages: [StagePrefix; Stage::ALL.len()],
    metrics: [MetricPrefix; MetricKind::ALL.len()],
}

impl NamePrefixes {
    /// Returns the shared instance.
    pub(super) fn get() -> &'static Self {
        static NAME_PREFIXES: LazyLock<NamePrefixes> = LazyLock::new(|| NamePrefixes {
            stages: Stage::ALL
                .map(|stage| piece(&format!("{{\"stage\":\"{}\",\"start\":\"", stage.as_str()))),
            metrics: MetricKind::ALL
                .map(|kind| piece(&format!("{{\"sleep_metric\":\"{}\",\"value\":", kind.as_str()))),
        });
        &NAME_PREFIXES
    }

    /// Returns the text before the start of a stage.
    #[inline]
    pub(super) fn of_stage(&self, stage: Stage) -> &StagePrefix {
        let [first, ..] = &self.stages;
        self.stages.get(usize::from(stage.code()).wrapping_sub(1)).unwrap_or(first)
    }

    /// Returns the text before the value of a metric.
    #[inline]
    pub(super) fn of_metric(&self, kind: MetricKind) -> &MetricPrefix {
        let [first, ..] = &self.metrics;
        self.metrics.get(usize::from(kind.code()).wrapping_sub(1)).unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::NamePrefixes;
    use domain::sleep::{MetricKind, Stage};

    #[test]
    fn each_prefix_belongs_to_its_name_and_fits() {
        for stage in Stage::ALL {
            let text = format!("{{\"stage\":\"{}\",\"start\":\"", stage.as_str());
            let (room, length) = NamePrefixes::get().of_stage(stage);
            assert_eq!(room.get(..*length), Some(text.as_bytes()));
        }
        for kind in MetricKind::ALL {
            let text = format!("{{\"sleep_metric\":\"{}\",\"value\":", kind.as_str());
            let (room, length) = NamePrefixes::get().of_metric(kind);
            assert_eq!(room.get(..*length), Some(text.as_bytes()));
        }
    }
}
