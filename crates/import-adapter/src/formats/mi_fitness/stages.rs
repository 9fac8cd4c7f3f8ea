//! Stages of a recording.

use super::clock::instant;
use super::members::Item;
use crate::session;
use crate::source::Notes;
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};

/// Arranges the items within the time in bed; unreadable ones are omitted and noted.
pub(super) fn read(items: &[Item], time_in_bed: &TimeInBed, notes: &mut Notes) -> Result<Hypnogram, String> {
    let mut entries = Vec::with_capacity(items.len());
    let (mut unreadable, mut unknown) = (0_usize, 0_usize);
    for item in items {
        let stage = stage(item);
        let times = instant(&item.start_time).zip(instant(&item.end_time));
        let Some(entry) = times.and_then(|(start, end)| StageEntry::new(stage, start, end).ok()) else {
            unreadable = unreadable.saturating_add(1);
            continue;
        };
        unknown = unknown.saturating_add(usize::from(stage == Stage::Unknown));
        entries.push(entry);
    }
    notes.count(unreadable, "stages that do not end after their start were omitted");
    notes.count(unknown, "stages with an unknown state were stored as UNKNOWN");
    session::hypnogram(entries, time_in_bed, notes)
}

fn stage(item: &Item) -> Stage {
    match item.state.identifier().as_deref() {
        Some("0") => Stage::Asleep,
        Some("2") => Stage::Deep,
        Some("3") => Stage::Light,
        Some("4") => Stage::Rem,
        Some("5") => Stage::Awake,
        _ => Stage::Unknown,
    }
}
