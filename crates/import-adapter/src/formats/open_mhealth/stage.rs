//! The stages of a `sleep-stage-summary`.

use super::member::StageEpisode;
use domain::sleep::{Stage, StageEntry};

/// Stages of a record, and what was left out.
#[derive(Debug, Default)]
pub(super) struct Stages {
    pub(super) entries: Vec<StageEntry>,
    pub(super) unreadable: usize,
    pub(super) unknown: usize,
}

impl Stages {
    pub(super) fn read(episodes: &[StageEpisode]) -> Self {
        let mut stages = Self::default();
        for episode in episodes {
            let Some(interval) = episode.interval() else {
                stages.unreadable = stages.unreadable.saturating_add(1);
                continue;
            };
            let stage = stage(episode).unwrap_or_else(|| {
                stages.unknown = stages.unknown.saturating_add(1);
                Stage::Unknown
            });
            stages.entries.extend(StageEntry::new(stage, interval.start(), interval.end()));
        }
        stages
    }

    /// Adds another record's; returns whether it has stages although these are known already.
    pub(super) fn merge(&mut self, other: Self) -> bool {
        self.unreadable = self.unreadable.saturating_add(other.unreadable);
        self.unknown = self.unknown.saturating_add(other.unknown);
        if self.entries.is_empty() {
            self.entries = other.entries;
            return false;
        }
        !other.entries.is_empty() && other.entries != self.entries
    }
}

fn stage(episode: &StageEpisode) -> Option<Stage> {
    match episode.sleep_stage_state.word()?.as_str() {
        "rem_sleep" => Some(Stage::Rem),
        "light_sleep" => Some(Stage::Light),
        "deep_sleep" => Some(Stage::Deep),
        "unknown_sleep" => Some(Stage::Asleep),
        "awake" => Some(Stage::Awake),
        _ => None,
    }
}
