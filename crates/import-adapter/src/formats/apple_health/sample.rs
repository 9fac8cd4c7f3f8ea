//! Sleep samples.

use super::attributes::pick;
use super::markup::Tag;
use crate::health_kit;
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, Utc};
use domain::sleep::{SleepSource, Stage};
use domain::time::UtcOffset;

const SLEEP: &str = "HKCategoryTypeIdentifierSleepAnalysis";
const ZONE: &str = "HKTimeZone";
/// Format of a time, and its length.
const TIME_FORM: &str = "%Y-%m-%d %H:%M:%S %z";
const TIME_LENGTH: usize = 25;

/// Content of a `Record` element.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) line: u64,
    /// The interval, or why it is invalid.
    pub(super) stretch: Result<Stretch, String>,
    /// Name of the zone of the recording.
    pub(super) zone: Option<String>,
}

/// An interval of sleep recorded by one source.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) source: SleepSource,
    pub(super) start: OffsetTime,
    pub(super) end: OffsetTime,
    /// Stage; `None` for time in bed.
    pub(super) stage: Option<Stage>,
}

/// A time with its written offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct OffsetTime {
    pub(super) instant: DateTime<Utc>,
    pub(super) offset: UtcOffset,
}

/// Returns whether a `Record` is a sleep sample.
pub(super) fn is_sleep(tag: &Tag) -> Result<bool, ImportRefusal> {
    // Most records are not, and `type` comes first, so nothing needs decoding.
    let after_name = tag.start.attributes_raw().trim_ascii_start();
    let first = after_name.strip_prefix("type=\"").and_then(|rest| rest.split_once('"'));
    if let Some((kind, _)) = first.filter(|(kind, _)| !kind.contains('&')) {
        return Ok(kind == SLEEP);
    }
    let [kind] = pick(tag, ["type"])?;
    Ok(kind.is_some_and(|kind| kind == SLEEP))
}

impl Sample {
    pub(super) fn read(tag: &Tag) -> Result<Self, ImportRefusal> {
        let [source, start, end, value] = pick(tag, ["sourceName", "startDate", "endDate", "value"])?;
        let stretch = Stretch::read(source.as_deref(), start.as_deref(), end.as_deref(), value.as_deref());
        Ok(Self { line: tag.line, stretch, zone: None })
    }

    /// Reads the zone from a `MetadataEntry`; the first one wins.
    pub(super) fn read_zone(&mut self, tag: &Tag) -> Result<(), ImportRefusal> {
        let [key, value] = pick(tag, ["key", "value"])?;
        if key.is_some_and(|key| key == ZONE) && self.zone.is_none() {
            self.zone = value.map(std::borrow::Cow::into_owned);
        }
        Ok(())
    }
}

impl Stretch {
    fn read(
        source: Option<&str>,
        start: Option<&str>,
        end: Option<&str>,
        value: Option<&str>,
    ) -> Result<Self, String> {
        let source = source.filter(|name| !name.trim().is_empty()).ok_or("sourceName is missing")?;
        Ok(Self {
            source: SleepSource::parse(source).map_err(|error| format!("sourceName: {error}"))?,
            start: time("startDate", start)?,
            end: time("endDate", end)?,
            stage: health_kit::stage(value.ok_or("value is missing")?)
                .map_err(|error| format!("value {error}"))?,
        })
    }
}

fn time(name: &str, text: Option<&str>) -> Result<OffsetTime, String> {
    let text = text.ok_or_else(|| format!("{name} is missing"))?;
    let written = (text.len() == TIME_LENGTH)
        .then(|| DateTime::parse_from_str(text, TIME_FORM).ok())
        .flatten()
        .and_then(|time| {
            let offset = UtcOffset::from_seconds(time.offset().local_minus_utc())?;
            Some(OffsetTime { instant: time.to_utc(), offset })
        });
    written.ok_or_else(|| format!("{name} is not a time such as 2026-01-10 23:05:00 +0100"))
}
