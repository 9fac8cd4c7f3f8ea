//! Intervals of the raw series.

use super::instant;
use super::members::Record;
use crate::segments::Segment;
use domain::sleep::{SleepSource, Stage};
use domain::time::TimeZone;

/// Number of characters of a device id that distinguish a person's devices.
const ID_CHARS: usize = 8;

/// Parses one interval and its device, or returns why it is invalid.
pub(super) fn read(record: &Record, number: u64, zone: TimeZone) -> Result<(SleepSource, Segment), String> {
    let stage = stage(record).ok_or("unknown state")?;
    let start = instant("startdate", &record.startdate)?;
    let end = instant("enddate", &record.enddate)?;
    let segment = Segment {
        start,
        end,
        offset_at_start: Some(zone.offset_at(start)),
        offset_at_end: Some(zone.offset_at(end)),
        stage: Some(stage),
        at: number,
    };
    Ok((source(record)?, segment))
}

fn stage(record: &Record) -> Option<Stage> {
    match record.state.identifier()?.as_str() {
        "0" => Some(Stage::Awake),
        "1" => Some(Stage::Light),
        "2" => Some(Stage::Deep),
        "3" => Some(Stage::Rem),
        // "Manual" in Withings' documentation: entered by the person, without stages.
        "4" => Some(Stage::Asleep),
        // "Unspecified" in Withings' documentation.
        "5" => Some(Stage::Unknown),
        _ => None,
    }
}

/// Returns the device's name: its model and the beginning of its id, so that two devices stay two sources.
fn source(record: &Record) -> Result<SleepSource, String> {
    let mut name = "withings".to_owned();
    let id = record.hash_deviceid.as_str().map(|id| id.chars().take(ID_CHARS).collect::<String>());
    for part in [record.model.as_str(), id.as_deref()].into_iter().flatten() {
        let part = part.trim();
        if !part.is_empty() {
            name.push(' ');
            name.push_str(part);
        }
    }
    SleepSource::parse(&name).map_err(|error| format!("model: {error}"))
}
