//! One sleep as the API writes it; unused members are omitted.

use crate::json::LooseScalar;
use serde::Deserialize;

/// A sleep of version 1 or 2 of the API; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sleep {
    pub(super) id: LooseScalar,
    pub(super) start: LooseScalar,
    pub(super) end: LooseScalar,
    pub(super) timezone_offset: LooseScalar,
    pub(super) nap: LooseScalar,
    pub(super) score_state: LooseScalar,
    score: Option<Score>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Score {
    stage_summary: Option<StageSummary>,
}

/// Totals of a scored sleep, in milliseconds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StageSummary {
    #[serde(rename = "total_awake_time_milli")]
    pub(super) awake: LooseScalar,
    #[serde(rename = "total_light_sleep_time_milli")]
    pub(super) light: LooseScalar,
    #[serde(rename = "total_slow_wave_sleep_time_milli")]
    pub(super) deep: LooseScalar,
    #[serde(rename = "total_rem_sleep_time_milli")]
    pub(super) rem: LooseScalar,
}

impl Sleep {
    /// Returns the totals, which count only if the sleep was scored.
    pub(super) fn totals(&self) -> Option<&StageSummary> {
        let is_scored = self.score_state.is_absent() || self.score_state.word().as_deref() == Some("scored");
        self.summary().filter(|_| is_scored)
    }

    /// Returns whether this is a sleep. Cycles and workouts have the same times and states.
    pub(super) const fn is_sleep(&self) -> bool {
        !self.nap.is_absent() || self.summary().is_some()
    }

    const fn summary(&self) -> Option<&StageSummary> {
        match &self.score {
            Some(Score { stage_summary: Some(summary) }) => Some(summary),
            _ => None,
        }
    }
}
