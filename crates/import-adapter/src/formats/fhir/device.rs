//! The device of an Observation, which is its source.

use super::resource::{Observation, Reference};
use super::subject::last_two;
use domain::sleep::{InvalidSleepSource, SleepSource};

/// Source of Observations without a device.
const DEFAULT_SOURCE: &str = "fhir";
const FRIENDLY_NAME_TYPE: &str = "user-friendly-name";

/// Returns the device's name, else its identifier or reference, else the format.
pub(super) fn source(observation: &Observation) -> Result<SleepSource, InvalidSleepSource> {
    let device = &observation.device;
    let name = clean(device.display.as_str())
        .or_else(|| contained(observation, device))
        .or_else(|| clean(device.identifier.value.as_str()))
        .or_else(|| clean(device.target.as_str().filter(|text| !text.starts_with('#')).map(last_two)));
    SleepSource::parse(name.as_deref().unwrap_or(DEFAULT_SOURCE))
}

/// Returns the name of a device contained in the Observation.
fn contained(observation: &Observation, device: &Reference) -> Option<String> {
    let id = device.target.as_str()?.strip_prefix('#')?;
    let found = observation.contained.0.iter().find(|resource| resource.id.as_str() == Some(id))?;
    let names = &found.device_name.0;
    let friendly = names.iter().find(|name| name.r#type.as_str() == Some(FRIENDLY_NAME_TYPE));
    clean(friendly.or_else(|| names.first())?.name.as_str())
}

/// Cleans a text for use as a source name.
fn clean(text: Option<&str>) -> Option<String> {
    let letters = text?.trim().chars().filter(|letter| !letter.is_control());
    Some(letters.take(SleepSource::MAX_CHARS).collect::<String>()).filter(|name| !name.is_empty())
}
