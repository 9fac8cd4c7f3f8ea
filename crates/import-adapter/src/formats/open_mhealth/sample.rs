//! Samples of `HealthKit`.

use super::member::Body;
use crate::health_kit;
use crate::segments::Segment;
use chrono::{DateTime, Utc};
use domain::time::{TimeZone, UtcOffset};

const SLEEP: &str = "HKCategoryTypeIdentifierSleepAnalysis";
const ZONE: &str = "HKTimeZone";

pub(super) fn is_sleep(body: &Body) -> bool {
    body.category_type.as_str() == Some(SLEEP)
}

/// Returns a body unchanged unless it has the value of a sample without its type.
pub(super) fn with_type(body: Body) -> Result<Body, String> {
    if body.category_type.is_absent() && !body.category_value.is_absent() {
        return Err("category_type is missing".to_owned());
    }
    Ok(body)
}

/// Parses an interval of sleep, or returns why it is invalid.
pub(super) fn read(body: &Body, at: u64) -> Result<Segment, String> {
    let time = body.time_frame()?;
    if body.category_value.is_absent() {
        return Err("category_value is missing".to_owned());
    }
    let value = body.category_value.as_str().unwrap_or_default();
    let stage = health_kit::stage(value).map_err(|error| format!("category_value {error}"))?;
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
