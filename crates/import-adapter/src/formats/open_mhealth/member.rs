//! The members of a data point; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use crate::timestamp::Timestamp;
use chrono::TimeDelta;
use domain::sleep::TimeInBed;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use std::time::Duration;

#[derive(Debug, Deserialize)]
pub(super) struct OnlyHeader {
    pub(super) header: Option<Header>,
    /// Whether the record has a body, as a data point does.
    #[serde(default, rename = "body", deserialize_with = "is_present")]
    pub(super) has_body: bool,
}

/// Accepts any value of a member.
fn is_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

#[derive(Debug, Deserialize)]
pub(super) struct OnlyBody {
    pub(super) body: Option<Body>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    pub(super) schema_id: SchemaId,
    pub(super) acquisition_provenance: Provenance,
    pub(super) user_id: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SchemaId {
    pub(super) name: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Provenance {
    pub(super) source_name: LooseScalar,
    /// The record's id at the source.
    pub(super) source_data_point_id: LooseScalar,
    /// The same id as written by Shimmer, the format's own converter.
    pub(super) external_id: LooseScalar,
}

/// Body of any sleep schema.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Body {
    pub(super) effective_time_frame: Option<TimeFrame>,
    pub(super) descriptive_statistic: LooseScalar,
    pub(super) total_sleep_time: Option<Measure>,
    pub(super) sleep_duration: Option<Measure>,
    pub(super) light_sleep_duration: Option<Measure>,
    pub(super) deep_sleep_duration: Option<Measure>,
    pub(super) rem_sleep_duration: Option<Measure>,
    pub(super) awake_duration: Option<Measure>,
    pub(super) time_in_bed: Option<Measure>,
    /// Time asleep, as a percentage of the time frame.
    pub(super) sleep_efficiency_percentage: Option<Measure>,
    pub(super) latency_to_sleep_onset: Option<Measure>,
    pub(super) wake_after_sleep_onset: Option<Measure>,
    pub(super) number_of_awakenings: LooseScalar,
    pub(super) is_main_sleep: LooseScalar,
    /// The sums of a `sleep-stage-summary`, by the same names.
    pub(super) sleep_stage_summary: Option<Box<Self>>,
    pub(super) sleep_stage_episodes: Bounded<StageEpisode>,
    pub(super) category_type: LooseScalar,
    pub(super) category_value: LooseScalar,
    pub(super) metadata: Bounded<Metadata>,
}

/// One stage of a `sleep-stage-summary`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StageEpisode {
    pub(super) sleep_stage_state: LooseScalar,
    sleep_stage_time_frame: Option<TimeFrame>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) key: LooseScalar,
    pub(super) value: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TimeFrame {
    date_time: LooseScalar,
    time_interval: Option<Interval>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Interval {
    start_date_time: LooseScalar,
    end_date_time: LooseScalar,
    duration: Option<Measure>,
}

/// A length of time with a unit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Measure {
    value: LooseScalar,
    unit: LooseScalar,
}

impl Measure {
    /// Returns the length; `None` if the value is negative or not a number, or the unit is unsuitable.
    pub(super) fn length(&self) -> Option<Duration> {
        let seconds = match self.unit.word()?.as_str() {
            "ps" => 1e-12,
            "ns" => 1e-9,
            "us" => 1e-6,
            "ms" => 1e-3,
            "sec" | "s" => 1.0,
            "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            "wk" => 604_800.0,
            _ => return None,
        };
        let millis = (self.value.number()? * seconds * 1000.0).round();
        // Rounded to milliseconds, because a tenth of a minute is not a binary number.
        Duration::try_from_secs_f64(millis / 1000.0).ok()
    }

    /// Returns this percentage of a length; `None` if it is not one.
    pub(super) fn percentage_of(&self, whole: Duration) -> Option<Duration> {
        let percent = self.value.number().filter(|percent| (0.0..=100.0).contains(percent))?;
        let millis = (whole.as_secs_f64() * percent * 10.0).round();
        (self.unit.as_str()? == "%").then(|| Duration::try_from_secs_f64(millis / 1000.0).ok())?
    }
}

impl Body {
    /// Returns the part with the sums.
    pub(super) fn sums(&self) -> &Self {
        self.sleep_stage_summary.as_deref().unwrap_or(self)
    }

    /// Returns the time in bed from start and end, start and duration, or end and duration.
    pub(super) fn time_frame(&self) -> Result<TimeInBed, String> {
        if !self.descriptive_statistic.is_absent() || !self.sums().descriptive_statistic.is_absent() {
            return Err("a statistic over several nights is not a session".to_owned());
        }
        let frame = self.effective_time_frame.as_ref().ok_or("effective_time_frame is missing")?;
        let Some(interval) = &frame.time_interval else {
            return Err(if frame.date_time.is_absent() {
                "time_interval is missing".to_owned()
            } else {
                "effective_time_frame is a point in time; a session needs a start and an end".to_owned()
            });
        };
        interval.time_in_bed()
    }
}

impl StageEpisode {
    /// Returns the start and the end; `None` if they are invalid.
    pub(super) fn interval(&self) -> Option<TimeInBed> {
        self.sleep_stage_time_frame.as_ref()?.time_interval.as_ref()?.time_in_bed().ok()
    }
}

impl Interval {
    fn time_in_bed(&self) -> Result<TimeInBed, String> {
        let start = Timestamp::parse_optional("start_date_time", &self.start_date_time)?;
        let end = Timestamp::parse_optional("end_date_time", &self.end_date_time)?;
        let (from, to, at_start, at_end) = match (start, end) {
            (Some(start), Some(end)) => (start.instant, end.instant, start.offset, end.offset),
            (Some(start), None) => {
                let end =
                    start.instant.checked_add_signed(self.duration()?).ok_or("the end is out of range")?;
                (start.instant, end, start.offset, start.offset)
            }
            (None, Some(end)) => {
                let start =
                    end.instant.checked_sub_signed(self.duration()?).ok_or("the start is out of range")?;
                (start, end.instant, end.offset, end.offset)
            }
            (None, None) => return Err("start_date_time and end_date_time are missing".to_owned()),
        };
        TimeInBed::new(from, to, at_start, at_end).map_err(|error| format!("time_interval: {error}"))
    }

    fn duration(&self) -> Result<TimeDelta, String> {
        let measure =
            self.duration.as_ref().ok_or("time_interval has neither a start and an end nor a duration")?;
        let length = measure.length().and_then(|length| TimeDelta::from_std(length).ok());
        length.ok_or_else(|| "duration is not a valid duration".to_owned())
    }
}
