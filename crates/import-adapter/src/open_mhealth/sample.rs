//! Samples of `HealthKit`.

use super::member::Body;
use crate::segments::Segment;
use chrono::{DateTime, Utc};
use domain::sleep::Stage;
use domain::time::{TimeZone, UtcOffset};

const SLEEP: &str = "HKCategoryTypeIdentifierSleepAnalysis";
const VALUE_PREFIX: &str = "HKCategoryValueSleepAnalysis";
const ZONE: &str = "HKTimeZone";

pub(super) fn is_sleep(body: &Body) -> bool {
    body.category_type.as_str() == Some(SLEEP)
}

/// Parses an interval of sleep, or returns why it is invalid.
pub(super) fn read(body: &Body, at: u64) -> Result<Segment, String> {
    let time = body.time_in_bed()?;
    let value = body.category_value.as_str().unwrap_or_default();
    let stage = stage(value.strip_prefix(VALUE_PREFIX).unwrap_or(value))?;
    // The zone of the recording wins: HealthKit writes times in the zone of the export.
    let zone = zone(body);
    let offset = |instant: DateTime<Utc>, written: Option<UtcOffset>| {
        zone.map(|zone| zone.offset_at(instant)).or(written)
    };
    Ok(Segment {
        start: time.start(),
        end: time.end(),
        offset_at_start: offset(time.start(), time.offset_at_start()),
        offset_at_end: offset(time.end(), time.offset_at_end()),
        stage,
        at,
    })
}

fn zone(body: &Body) -> Option<TimeZone> {
    let entry = body.metadata.0.iter().find(|entry| entry.key.as_str() == Some(ZONE))?;
    TimeZone::parse(entry.value.as_str()?).ok()
}

fn stage(value: &str) -> Result<Option<Stage>, &'static str> {
    match value {
        "InBed" => Ok(None),
        "Awake" => Ok(Some(Stage::Awake)),
        "AsleepCore" => Ok(Some(Stage::Light)),
        "AsleepDeep" => Ok(Some(Stage::Deep)),
        "AsleepREM" => Ok(Some(Stage::Rem)),
        "Asleep" | "AsleepUnspecified" => Ok(Some(Stage::Asleep)),
        _ => Err("category_value is not a known sleep stage"),
    }
}
