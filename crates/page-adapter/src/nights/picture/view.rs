//! Pictures of nights, as shapes with integer coordinates.
//!
//! Horizontal positions are numbers of the picture's own width (`viewBox`), which stretches to the page.
//! Positions of texts are per mille of the whole picture, because texts do not stretch.

use crate::view::Moment;
use domain::counted;
use std::fmt::{self, Write as _};

/// Width of the column with the names of rows, in per mille of the picture.
const NAME_COLUMN: i64 = 180;

/// Text alternative of a picture.
#[derive(Clone)]
pub(crate) struct TextAlternative {
    /// Prefix of the ids of the picture's elements, unique on the page.
    pub(crate) id: &'static str,
    /// What is shown: `Sleep stages`.
    pub(crate) title: String,
    /// The finding: `7 h 15 min in bed, 4 REM periods`.
    pub(crate) text: String,
}

/// Position of a text in per mille of the picture; prints a percentage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextX(i64);

impl TextX {
    /// Returns the position above `x` of a plot with this width.
    pub(crate) const fn above(x: i64, width: i64) -> Self {
        let width = if width > 0 { width } else { 1 };
        Self(NAME_COLUMN + x * (1000 - NAME_COLUMN) / width)
    }

    /// Returns the text anchor that keeps the text within the picture.
    pub(crate) const fn anchor(self) -> &'static str {
        if self.0 > 960 {
            "end"
        } else if self.0 < NAME_COLUMN + 20 {
            "start"
        } else {
            "middle"
        }
    }
}

impl fmt::Display for TextX {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}%", self.0 / 10, self.0 % 10)
    }
}

/// Label of an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tick {
    /// Position of its line.
    pub(crate) x: i64,
    pub(crate) text_x: TextX,
    pub(crate) label: String,
}

/// Name of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowName {
    /// Baseline of the text.
    pub(crate) y: i64,
    pub(crate) name: String,
}

/// Rectangle with an optional tooltip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) class: &'static str,
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) tip: Option<String>,
}

/// Mark of a change of the clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangeMark {
    pub(crate) x: i64,
    /// Width of the repeated time; 0 if time is skipped.
    pub(crate) width: i64,
    pub(crate) text_x: TextX,
    /// Short explanation: `02:00 to 03:00 skipped`.
    pub(crate) label: String,
}

/// Stages of one night.
#[derive(Clone)]
pub(crate) struct Hypnogram {
    pub(crate) finding: TextAlternative,
    /// Height of the plot in pixels.
    pub(crate) height: i64,
    pub(crate) rows: Vec<RowName>,
    pub(crate) bars: Vec<Bar>,
    /// Vertical lines from stage to stage, as an SVG path.
    pub(crate) steps: String,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) changes: Vec<ChangeMark>,
    /// The stages as a table.
    pub(crate) stages: Vec<StageLine>,
    /// Number of stages that the table leaves out.
    pub(crate) more_stages: usize,
}

/// A stage in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StageLine {
    pub(crate) stage: &'static str,
    /// `22:53 to 23:10`.
    pub(crate) time: String,
    /// `17 min`.
    pub(crate) length: String,
}

/// Nights of several weeks, a row per day from noon to noon.
#[derive(Clone)]
pub(crate) struct Raster {
    pub(crate) finding: TextAlternative,
    pub(crate) height: i64,
    pub(crate) rows: Vec<RowName>,
    pub(crate) bars: Vec<Bar>,
    pub(crate) ticks: Vec<Tick>,
    /// Days of 23 or 25 hours: `23 h`.
    pub(crate) notes: Vec<RowName>,
    /// Sources in the order of their lanes.
    pub(crate) lanes: Vec<LaneName>,
    pub(crate) has_naps: bool,
    pub(crate) has_changes: bool,
    /// Each session.
    pub(crate) lines: Vec<SleepLine>,
    /// Number of sessions that the table leaves out.
    pub(crate) more_lines: usize,
}

/// Source with its class and place within a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaneName {
    pub(crate) class: &'static str,
    pub(crate) name: String,
}

/// A session in a table.
#[derive(Clone)]
pub(crate) struct SleepLine {
    pub(crate) id: String,
    /// Date of waking up.
    pub(crate) day: Moment,
    /// `22:53 to 06:08`.
    pub(crate) time: String,
    pub(crate) in_bed: String,
    pub(crate) asleep: Option<String>,
    pub(crate) source: String,
    pub(crate) is_nap: bool,
    /// Change of the clocks: `clocks went forward`.
    pub(crate) change: Option<&'static str>,
}

/// Length of each night, with the median of each week.
#[derive(Clone)]
pub(crate) struct Durations {
    pub(crate) finding: TextAlternative,
    pub(crate) width: i64,
    pub(crate) height: i64,
    /// Lines and names of whole hours.
    pub(crate) rows: Vec<RowName>,
    pub(crate) lines: Vec<i64>,
    pub(crate) bars: Vec<Bar>,
    pub(crate) medians: Vec<MedianMark>,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) has_asleep: bool,
    /// Each night.
    pub(crate) nights: Vec<NightLine>,
    /// Each whole week.
    pub(crate) weeks: Vec<PeriodLine>,
}

/// Lengths of a night in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NightLine {
    /// Day of waking up: `Tue 31 Mar`.
    pub(crate) day: String,
    pub(crate) in_bed: String,
    pub(crate) asleep: Option<String>,
}

/// Median of a week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MedianMark {
    /// The days with a night, as an SVG path.
    pub(crate) line: String,
    pub(crate) text_x: TextX,
    /// `7h 5m`; `None` if the days of the week are too few for a text.
    pub(crate) label: Option<String>,
    pub(crate) n: usize,
}

impl MedianMark {
    /// Counts the nights: `7 nights`.
    pub(crate) fn nights(&self) -> String {
        counted(self.n, "night")
    }
}

/// Durations of a week or month in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PeriodLine {
    /// `23 to 29 March`.
    pub(crate) name: String,
    /// Query of the page that shows the period.
    pub(crate) query: Option<String>,
    pub(crate) n: usize,
    pub(crate) in_bed: String,
    /// Median and number of nights where it is known.
    pub(crate) asleep: Option<(String, usize)>,
}

/// Spread of bedtimes and wake times.
#[derive(Clone)]
pub(crate) struct Regularity {
    pub(crate) finding: TextAlternative,
    /// Width of the plot in minutes.
    pub(crate) width: i64,
    pub(crate) rows: Vec<RowName>,
    /// Middle halves.
    pub(crate) boxes: Vec<Bar>,
    /// One short line for each night, as an SVG path.
    pub(crate) nights: String,
    /// Medians, as an SVG path.
    pub(crate) medians: String,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) lines: Vec<SpreadLine>,
    pub(crate) index: Option<IndexLine>,
}

/// Spread of a clock time in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpreadLine {
    pub(crate) name: &'static str,
    pub(crate) median: String,
    /// `22:30 to 23:20`.
    pub(crate) middle_half: String,
    pub(crate) n: usize,
}

/// Sleep Regularity Index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexLine {
    pub(crate) value: i64,
    /// Number of compared pairs of days.
    pub(crate) pairs: usize,
}

/// Length of each night of a year.
#[derive(Clone)]
pub(crate) struct Year {
    pub(crate) finding: TextAlternative,
    /// Source of the nights.
    pub(crate) source: String,
    pub(crate) height: i64,
    pub(crate) rows: Vec<RowName>,
    /// One vertical line for each night, as an SVG path.
    pub(crate) nights: String,
    /// Base lines of the months, as an SVG path.
    pub(crate) bases: String,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) months: Vec<PeriodLine>,
}

/// An SVG path of straight lines.
#[derive(Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// Adds a vertical line.
    pub(crate) fn vertical(&mut self, x: i64, from: i64, to: i64) {
        // Writing to a string does not fail.
        let _ = write!(self.0, "M{x} {from}V{to}");
    }

    /// Adds a horizontal line.
    pub(crate) fn horizontal(&mut self, y: i64, from: i64, to: i64) {
        let _ = write!(self.0, "M{from} {y}H{to}");
    }

    /// Returns the path.
    pub(crate) fn into_path(self) -> String {
        self.0
    }
}

impl Raster {
    /// Counts the listed sessions: `31 nights, 2 naps`.
    pub(crate) fn count(&self) -> String {
        let naps = self.lines.iter().filter(|line| line.is_nap).count();
        match (counted(self.lines.len() - naps, "night"), naps) {
            (nights, 0) => nights,
            (_, naps) if naps == self.lines.len() => counted(naps, "nap"),
            (nights, naps) => format!("{nights}, {}", counted(naps, "nap")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_placed_right_of_the_names_and_stay_within_the_picture() {
        assert_eq!(TextX::above(0, 1000).to_string(), "18.0%");
        assert_eq!(TextX::above(500, 1000).to_string(), "59.0%");
        assert_eq!(TextX::above(1000, 1000).to_string(), "100.0%");
        let anchors = [0, 500, 1000].map(|x| TextX::above(x, 1000).anchor());
        assert_eq!(anchors, ["start", "middle", "end"]);
    }
}
