//! Codes: the subject of an Observation and the stage of a value.
//!
//! LOINC and SNOMED CT codes are those of the value sets of HL7's Personal Health Records guide
//! (`pcd-sleep-observation-code` and `-value`), which also has its own codes for `HealthKit` samples and Open
//! mHealth episodes.

use super::resource::{Coding, Component, Concept, Quantity};
use domain::sleep::Stage;

const LOINC: &str = "http://loinc.org";
const SNOMED: &str = "http://snomed.info/sct";
const PHR: &str = "http://hl7.org/fhir/uv/phr/CodeSystem/observation-pghd-codes";
const PHR_STAGE: &str = "http://hl7.org/fhir/uv/phr/CodeSystem/sleep-analysis-codes";
const PHR_EPISODE: &str = "http://hl7.org/fhir/uv/phr/CodeSystem/sleep-episode-codes";

/// Subject of an Observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The stage that its value names.
    Stage,
    /// Duration of part of the night.
    Sum(Kind),
    /// A night with totals as components.
    Episode,
}

/// Kind of a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Asleep,
    Light,
    Deep,
    Rem,
    Latency,
    AwakeAfterOnset,
    /// A count.
    Wakeups,
    /// Whether it is the main sleep of the day: 1 or 0.
    IsMainSleep,
}

impl Kind {
    /// Returns the stage that lasts throughout such a period; `None` for kinds that are not stages.
    pub(super) const fn stage(self) -> Option<Stage> {
        match self {
            Self::Asleep => Some(Stage::Asleep),
            Self::Light => Some(Stage::Light),
            Self::Deep => Some(Stage::Deep),
            Self::Rem => Some(Stage::Rem),
            Self::Latency | Self::AwakeAfterOnset | Self::Wakeups | Self::IsMainSleep => None,
        }
    }
}

/// Returns the subject of an Observation with this code; `None` if it is not about sleep.
pub(super) fn meaning(code: &Concept) -> Option<Meaning> {
    first(code, |system, code| match (system, code) {
        (SNOMED, "258158006") | (PHR, "sleepAnalysis") => Some(Meaning::Stage),
        (LOINC, "93832-4") => Some(Meaning::Sum(Kind::Asleep)),
        (LOINC, "93831-6") => Some(Meaning::Sum(Kind::Deep)),
        (LOINC, "93830-8") => Some(Meaning::Sum(Kind::Light)),
        (LOINC, "93829-0") => Some(Meaning::Sum(Kind::Rem)),
        (PHR, "sleepEpisode") => Some(Meaning::Episode),
        _ => None,
    })
}

/// Returns the total that a component states.
pub(super) fn component(code: &Concept) -> Option<Kind> {
    let own = first(code, |system, code| match (system, code) {
        (PHR_EPISODE, "totalSleepTime") => Some(Kind::Asleep),
        (PHR_EPISODE, "coreSleepDuration") => Some(Kind::Light),
        (PHR_EPISODE, "deepSleepDuration") => Some(Kind::Deep),
        (PHR_EPISODE, "remSleepDuration") => Some(Kind::Rem),
        (PHR_EPISODE, "latencyToSleepOnset") => Some(Kind::Latency),
        (PHR_EPISODE, "wakeAfterSleepOnset") => Some(Kind::AwakeAfterOnset),
        (PHR_EPISODE, "numberOfAwakenings") => Some(Kind::Wakeups),
        (PHR_EPISODE, "isMainSleep") => Some(Kind::IsMainSleep),
        _ => None,
    });
    own.or_else(|| match meaning(code)? {
        Meaning::Sum(kind) => Some(kind),
        Meaning::Stage | Meaning::Episode => None,
    })
}

/// State that a value names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// In bed; asleep or awake is unknown.
    InBed,
    /// In this stage.
    In(Stage),
}

impl State {
    /// Returns the stage, if known.
    pub(super) const fn stage(self) -> Option<Stage> {
        match self {
            Self::InBed => None,
            Self::In(stage) => Some(stage),
        }
    }
}

/// Returns the state that a value names; `None` if it is not a known stage.
pub(super) fn state(value: &Concept) -> Option<State> {
    first(value, |system, code| match (system, code) {
        // Non-REM sleep may be light or deep.
        (SNOMED, "248220008" | "60984000") | (PHR_STAGE, "asleepUnspecified") => {
            Some(State::In(Stage::Asleep))
        }
        (SNOMED, "248218005") | (PHR_STAGE, "awake") => Some(State::In(Stage::Awake)),
        (SNOMED, "89129007") | (PHR_STAGE, "asleepREM") => Some(State::In(Stage::Rem)),
        (SNOMED, "261665006") => Some(State::In(Stage::Unknown)),
        (PHR_STAGE, "asleepCore") => Some(State::In(Stage::Light)),
        (PHR_STAGE, "asleepDeep") => Some(State::In(Stage::Deep)),
        (PHR_STAGE, "inBed") => Some(State::InBed),
        _ => None,
    })
}

/// Returns the first known coding. Display texts are free text and are ignored.
fn first<T>(concept: &Concept, find: impl Fn(&str, &str) -> Option<T>) -> Option<T> {
    let mut codings = concept.coding.0.iter();
    codings.find_map(|Coding { system, code }| find(system.as_str()?, code.as_str()?))
}

/// Returns the value of a component: a length in milliseconds, a count, or a flag as 1 or 0.
pub(super) fn amount(kind: Kind, component: &Component) -> Option<i64> {
    let quantity = component.value_quantity.as_ref();
    match kind {
        Kind::IsMainSleep => component.value_boolean.as_flag().map(i64::from),
        Kind::Wakeups => {
            let counted = || quantity.and_then(|quantity| quantity.value.identifier());
            let count = component.value_integer.identifier().or_else(counted)?;
            count.parse::<u32>().ok().map(i64::from)
        }
        _ => millis(quantity?),
    }
}

/// Returns a length in milliseconds; `None` if the value is negative or not a number, or the unit is not one
/// of time.
pub(super) fn millis(quantity: &Quantity) -> Option<i64> {
    let unit = quantity.code.as_str().or_else(|| quantity.unit.as_str())?;
    let factor = match unit {
        "ms" => 1.0,
        "s" | "sec" | "second" | "seconds" => 1000.0,
        "min" | "minute" | "minutes" => 60_000.0,
        "h" | "hr" | "hour" | "hours" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return None,
    };
    let millis = (quantity.value.number()? * factor).round();
    let is_known = quantity.comparator.is_absent() && (0.0..=1e15).contains(&millis);
    #[expect(clippy::cast_possible_truncation, reason = "at most 10^15, checked")]
    is_known.then_some(millis as i64)
}
