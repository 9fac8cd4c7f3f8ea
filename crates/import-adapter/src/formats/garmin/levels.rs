//! Stages of a night.

use super::members::Stretch;
use super::stamp::instant;
use crate::session;
use crate::source::Notes;
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};

/// Arranges the levels within the time in bed; unreadable ones are left out and noted.
pub(super) fn read(
    stretches: &[Stretch],
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    let mut entries = Vec::with_capacity(stretches.len());
    let (mut unreadable, mut unknown) = (0_usize, 0_usize);
    for stretch in stretches {
        let stage = stage(stretch);
        let times = instant(&stretch.start).zip(instant(&stretch.end));
        let entry = times.and_then(|(start, end)| StageEntry::new(stage, start, end).ok());
        let Some(entry) = entry else {
            unreadable = unreadable.saturating_add(1);
            continue;
        };
        unknown = unknown.saturating_add(usize::from(stage == Stage::Unknown));
        entries.push(entry);
    }
    notes.count(unreadable, "stages that do not end after their start were left out");
    notes.count(unknown, "stages with an unknown level were stored as UNKNOWN");
    session::hypnogram(entries, time_in_bed, notes)
}

fn stage(stretch: &Stretch) -> Stage {
    // Garmin writes 0 as 0.0.
    match stretch.level.number().map(|level| level.to_string()).as_deref() {
        Some("0") => Stage::Deep,
        Some("1") => Stage::Light,
        Some("2") => Stage::Rem,
        Some("3") => Stage::Awake,
        _ => Stage::Unknown,
    }
}
