//! Conversion of an Observation to an interval of sleep or to totals of a period.

use super::code::{self, Kind, Meaning};
use super::resource::{Observation, Period};
use super::total::Total;
use crate::segments::Segment;
use crate::timestamp::Timestamp;
use chrono::TimeDelta;

/// Tolerance in milliseconds between a total and the length of its period, because totals are often in whole
/// minutes.
const ROUNDING_MILLIS: i64 = 60_000;
/// From this length, 23 hours and 59 minutes, a period with a total is a day rather than a night.
const DAY_MILLIS: i64 = (24 * 60 - 1) * 60_000;

/// Content of an Observation.
#[derive(Debug)]
pub(super) struct Content {
    /// Its period, with the stage throughout if there is one.
    pub(super) segment: Segment,
    /// Its totals.
    pub(super) totals: Vec<Total>,
    /// Number of unreadable components.
    pub(super) unreadable: usize,
}

/// Parses an Observation of sleep, or returns why it is invalid.
pub(super) fn read(observation: &Observation, at: u64) -> Result<Content, String> {
    if matches!(observation.status.as_str(), Some("entered-in-error" | "cancelled")) {
        return Err("its status marks it as entered in error or cancelled".to_owned());
    }
    let meaning = code::meaning(&observation.code).ok_or("it is not about sleep")?;
    let period = observation.effective_period.as_ref().ok_or("effectivePeriod is missing")?;
    let sum = observation
        .value_quantity
        .as_ref()
        .map(|quantity| code::millis(quantity).ok_or("valueQuantity is not a duration in a UCUM unit"));
    let sum = sum.transpose()?;
    let segment = segment(period, sum, at)?;
    if let Some(value) = &observation.value_codeable_concept {
        let state = code::state(value).ok_or("valueCodeableConcept is not a known sleep stage")?;
        return Ok(Content {
            segment: Segment { stage: state.stage(), ..segment },
            totals: Vec::new(),
            unreadable: 0,
        });
    }
    let kind = match meaning {
        Meaning::Stage => Some(Kind::Asleep),
        Meaning::Sum(kind) => Some(kind),
        Meaning::Episode => None,
    };
    with_sums(observation, segment, kind.zip(sum))
}

/// Reads the totals of the value and of the components.
fn with_sums(
    observation: &Observation,
    segment: Segment,
    own: Option<(Kind, i64)>,
) -> Result<Content, String> {
    let mut unreadable = 0_usize;
    let mut found: Vec<(Kind, i64)> = own.into_iter().collect();
    for component in &observation.component.0 {
        let Some(kind) = code::component(&component.code) else { continue };
        match code::amount(kind, component) {
            Some(amount) => found.push((kind, amount)),
            None => unreadable = unreadable.saturating_add(1),
        }
    }
    if found.is_empty() {
        return Err("it has no known value".to_owned());
    }
    let length = segment.end.signed_duration_since(segment.start).num_milliseconds();
    let is_throughout = |millis: i64| millis.abs_diff(length) <= ROUNDING_MILLIS.unsigned_abs();
    let throughout = own.filter(|(_, millis)| is_throughout(*millis)).and_then(|(kind, _)| kind.stage());
    if throughout.is_none() && length >= DAY_MILLIS {
        return Err("a total over a day or longer is not a session".to_owned());
    }
    let (start, end) = (segment.start.timestamp_millis(), segment.end.timestamp_millis());
    let totals = found.into_iter().map(|(kind, amount)| Total { start, end, kind, amount }).collect();
    Ok(Content { segment: Segment { stage: throughout, ..segment }, totals, unreadable })
}

/// Returns the period: start and end, or start and duration.
fn segment(period: &Period, sum: Option<i64>, at: u64) -> Result<Segment, String> {
    let start = Timestamp::parse_optional("effectivePeriod.start", &period.start)?
        .ok_or("effectivePeriod.start is missing")?;
    let (end, offset_at_end) =
        if let Some(end) = Timestamp::parse_optional("effectivePeriod.end", &period.end)? {
            (end.instant, end.offset)
        } else {
            let length = sum.and_then(TimeDelta::try_milliseconds).ok_or("effectivePeriod.end is missing")?;
            let end = start.instant.checked_add_signed(length).ok_or("the end is out of range")?;
            (end, start.offset)
        };
    let (offset_at_start, start) = (start.offset, start.instant);
    Ok(Segment { start, end, offset_at_start, offset_at_end, stage: None, at })
}
