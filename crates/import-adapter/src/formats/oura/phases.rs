//! Stages of a document: a text with one digit per epoch.

use super::members::Period;
use crate::json::LooseScalar;
use crate::source::Notes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};

const HALF_A_MINUTE: TimeDelta = TimeDelta::seconds(30);
const FIVE_MINUTES: TimeDelta = TimeDelta::minutes(5);

/// Reads the finest text of the document; an empty hypnogram if it has none.
pub(super) fn read(period: &Period, time_in_bed: &TimeInBed, notes: &mut Notes) -> Result<Hypnogram, String> {
    for (name, value, epoch) in [
        ("sleep_phase_30_sec", &period.sleep_phase_30_sec, HALF_A_MINUTE),
        ("sleep_phase_5_min", &period.sleep_phase_5_min, FIVE_MINUTES),
        ("hypnogram_5min", &period.hypnogram_5min, FIVE_MINUTES),
        ("app_sleep_phase_5_min", &period.app_sleep_phase_5_min, FIVE_MINUTES),
    ] {
        if let Some(text) = digits(name, value, notes) {
            let entries = entries(text, epoch, time_in_bed, notes);
            return Hypnogram::new(entries, time_in_bed).map_err(|error| error.to_string());
        }
    }
    Ok(Hypnogram::empty())
}

/// Returns the text if it contains at least one stage.
///
/// Numbers are rejected: their writer may have dropped leading zeros or trailing digits.
fn digits<'a>(name: &str, value: &'a LooseScalar, notes: &mut Notes) -> Option<&'a str> {
    let Some(text) = value.as_str().map(str::trim) else {
        if !value.is_absent() {
            notes.add(format!("{name} is not a string and was left out"));
        }
        return None;
    };
    let tells = text.chars().any(|digit| stage(digit).is_some());
    if !tells && !text.is_empty() {
        notes.add(format!("{name} contains no known stage and was left out"));
    }
    tells.then_some(text)
}

/// Creates one entry per run of equal epochs; the last epoch ends with the time in bed.
fn entries(text: &str, epoch: TimeDelta, time_in_bed: &TimeInBed, notes: &mut Notes) -> Vec<StageEntry> {
    let mut runs: Vec<(Stage, DateTime<Utc>, DateTime<Utc>)> = Vec::new();
    let (mut unknown, mut beyond) = (0_usize, 0_usize);
    let mut next = time_in_bed.start();
    for digit in text.chars() {
        let start = next;
        if start >= time_in_bed.end() {
            beyond = beyond.saturating_add(1);
            continue;
        }
        // Within seven days of an instant with a four-digit year, so this does not overflow.
        next = start + epoch;
        let end = next.min(time_in_bed.end());
        let Some(stage) = stage(digit) else {
            unknown = unknown.saturating_add(1);
            continue;
        };
        match runs.last_mut() {
            Some((last, _, last_end)) if *last == stage && *last_end == start => *last_end = end,
            _ => runs.push((stage, start, end)),
        }
    }
    notes.count(unknown, "epochs with an unknown code were left out");
    notes.count(beyond, "epochs after bedtime_end were left out");
    runs.into_iter().filter_map(|(stage, start, end)| StageEntry::new(stage, start, end).ok()).collect()
}

const fn stage(digit: char) -> Option<Stage> {
    match digit {
        '1' => Some(Stage::Deep),
        '2' => Some(Stage::Light),
        '3' => Some(Stage::Rem),
        '4' => Some(Stage::Awake),
        _ => None,
    }
}
