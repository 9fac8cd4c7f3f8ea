//! Pages of a person's nights.

use super::picture::view::{Durations, Hypnogram, Raster, Regularity, SleepLine, Year};
use crate::view::{Moment, Person};
use askama::Template;

/// A figure with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    /// `7 h 15 min`.
    pub(crate) value: String,
    /// `27 nights`.
    pub(crate) note: Option<String>,
}

/// Nights of four weeks, and of their year.
#[derive(Clone, Template)]
#[template(path = "nights/nights.html")]
pub(crate) struct Nights {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    pub(crate) time_zone: String,
    /// `2 to 29 March 2026`.
    pub(crate) span: String,
    /// Dates of the weeks before and after these.
    pub(crate) earlier: Option<String>,
    pub(crate) later: Option<String>,
    /// Whether these are the weeks that are shown by default.
    pub(crate) is_latest: bool,
    /// Value of `source` that the links keep.
    pub(crate) asked_source: Option<String>,
    /// Sources to choose from; empty if there is only one.
    pub(crate) sources: Vec<SourceLink>,
    /// Name of the chosen source, if there are several.
    pub(crate) source: Option<String>,
    /// `None` if these weeks have no sleep.
    pub(crate) weeks: Option<WeekPictures>,
    /// `None` if the year has no nights.
    pub(crate) year: Option<Year>,
    /// Number of the year.
    pub(crate) year_number: i32,
    /// Dates in the years before and after.
    pub(crate) year_before: Option<String>,
    pub(crate) year_after: Option<String>,
    /// Whether the oldest sessions of these weeks, or of the year, are left out.
    pub(crate) is_cut: bool,
    /// Whether the person has no sleep at all.
    pub(crate) is_empty: bool,
}

/// Pictures of four weeks.
#[derive(Clone)]
pub(crate) struct WeekPictures {
    pub(crate) raster: Raster,
    /// `None` if the chosen source has only naps.
    pub(crate) nights: Option<SourcePictures>,
}

/// Pictures of the nights of one source.
#[derive(Clone)]
pub(crate) struct SourcePictures {
    pub(crate) medians: Vec<Figure>,
    pub(crate) durations: Durations,
    pub(crate) regularity: Regularity,
}

/// Link to the figures of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceLink {
    pub(crate) name: String,
    /// Number of nights in these weeks.
    pub(crate) nights: usize,
    /// Date of the weeks.
    pub(crate) to: String,
    /// Value of `source`.
    pub(crate) value: String,
    pub(crate) is_current: bool,
}

/// One night.
#[derive(Clone, Template)]
#[template(path = "nights/night.html")]
pub(crate) struct Night {
    pub(crate) person: Person,
    pub(crate) id: String,
    /// Day of waking up.
    pub(crate) day: Moment,
    /// `Monday 30 March, 22:53 to Tuesday 31 March, 06:08`.
    pub(crate) time: String,
    pub(crate) is_nap: bool,
    pub(crate) time_zone: String,
    /// Change of the clocks: `clocks went forward`.
    pub(crate) change: Option<&'static str>,
    /// Times at the place of the recording, if other than the person's zone: `08:53 to 16:08 (UTC+09:00)`.
    pub(crate) time_there: Option<String>,
    pub(crate) figures: Vec<Figure>,
    /// `None` if the source sent no stages.
    pub(crate) hypnogram: Option<Hypnogram>,
    /// Sentence in place of the hypnogram.
    pub(crate) no_stages: &'static str,
    pub(crate) metrics: Vec<MetricLine>,
    pub(crate) source: String,
    pub(crate) updated: Moment,
    pub(crate) import: Option<OriginLine>,
    /// Other sessions of the same day.
    pub(crate) others: Vec<SleepLine>,
    /// Ids of the nights of the same source before and after this one.
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// Date, for the link to its weeks.
    pub(crate) to: String,
}

/// A metric in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MetricLine {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) meaning: &'static str,
}

/// Import of a night.
#[derive(Clone)]
pub(crate) struct OriginLine {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) at: Moment,
}
