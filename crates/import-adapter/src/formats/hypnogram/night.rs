//! Conversion of epochs to a session.

use super::table::Position;
use crate::session;
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, Stage, StageEntry, TimeInBed};
use domain::time::UtcOffset;

/// Length of an epoch in milliseconds.
pub(super) const EPOCH_MILLIS: i64 = 30_000;
/// Maximum number of epochs per night.
const EPOCH_LIMIT: i64 = TimeInBed::MAX_MILLIS / EPOCH_MILLIS;

/// Position of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValuePosition {
    Line(u64),
    Epoch(u64),
}

impl std::fmt::Display for ValuePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Epoch(number) => write!(f, "epoch {number}"),
        }
    }
}

/// Scale by which the values of a file name stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    Numbers,
    Letters,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Score {
    pub(super) scale: Scale,
    /// Stage; `None` for a number of another scale.
    pub(super) stage: Option<Stage>,
}

impl Score {
    pub(super) fn of_number(number: f64) -> Self {
        Self { scale: Scale::Numbers, stage: numbered(number) }
    }

    pub(super) fn of_letters(letters: &str) -> Option<Self> {
        Some(Self { scale: Scale::Letters, stage: Some(parse_letters(letters)?) })
    }
}

/// Parses a number or the letters of a stage, which may be quoted; `None` otherwise.
pub(super) fn score(text: &str) -> Option<Score> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.map(Score::of_number).or_else(|| Score::of_letters(text.trim_matches('"')))
}

/// Returns the stage of letters, case-insensitively: those of AASM (W, N1 to N3, R), of Rechtschaffen and
/// Kales (S1 to S4, REM) and of YASA (WAKE, ART, UNS; LIGHT, DEEP, NREM and SLEEP in scales of fewer
/// stages). S3 and S4 are N3.
fn parse_letters(letters: &str) -> Option<Stage> {
    match letters.to_ascii_uppercase().as_str() {
        "W" | "WAKE" => Some(Stage::Awake),
        "N1" | "N2" | "S1" | "S2" | "LIGHT" => Some(Stage::Light),
        "N3" | "S3" | "S4" | "DEEP" => Some(Stage::Deep),
        "NREM" | "SLEEP" => Some(Stage::Asleep),
        "R" | "REM" => Some(Stage::Rem),
        "?" | "ART" | "UNS" => Some(Stage::Unknown),
        _ => None,
    }
}

/// Returns the stage of a number: N1 and N2 are light sleep.
fn numbered(number: f64) -> Option<Stage> {
    if number.fract() != 0.0 || !(-1.0..=4.0).contains(&number) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a whole number from -1 to 4, checked above")]
    match number as i8 {
        -1 => Some(Stage::Unknown),
        0 => Some(Stage::Awake),
        1 | 2 => Some(Stage::Light),
        3 => Some(Stage::Deep),
        4 => Some(Stage::Rem),
        _ => None,
    }
}

/// A run of equal epochs.
struct Run {
    stage: Stage,
    epochs: i64,
}

/// Epochs so far, as runs.
pub(super) struct Night {
    start: DateTime<FixedOffset>,
    runs: Vec<Run>,
    epochs: i64,
    /// Scale of the first value that is a stage.
    scale: Option<Scale>,
    /// Position of the last epoch in a table.
    last: Option<Position>,
    wrong: Option<String>,
}

impl Night {
    pub(super) const fn new(start: DateTime<FixedOffset>) -> Self {
        Self { start, runs: Vec::new(), epochs: 0, scale: None, last: None, wrong: None }
    }

    /// Checks the position of the next epoch of a table.
    pub(super) fn check_position(&mut self, position: Position, place: ValuePosition) {
        let reason = match (self.last, position) {
            (_, Position::Unreadable) => "the epoch has neither a number nor a time",
            (None, first) if !first.begins(self.start) => "the first time is not the start that was given",
            (Some(last), next) if !next.follows(last) => {
                "the epoch does not follow the previous one by 30 seconds"
            }
            _ => {
                self.last = Some(position);
                return;
            }
        };
        self.wrong.get_or_insert_with(|| format!("{place}: {reason}"));
    }

    /// Adds an epoch; none is kept after an invalid one or beyond the longest night.
    pub(super) fn add(&mut self, text: &str, place: ValuePosition) {
        self.epochs = self.epochs.saturating_add(1);
        if self.wrong.is_some() || self.epochs > EPOCH_LIMIT {
            return;
        }
        match self.stage(text) {
            Err(reason) => self.wrong = Some(format!("{place}: {reason}")),
            Ok(stage) => match self.runs.last_mut() {
                Some(run) if run.stage == stage => run.epochs = run.epochs.saturating_add(1),
                _ => self.runs.push(Run { stage, epochs: 1 }),
            },
        }
    }

    /// Parses a value, which must be of the scale of the previous ones.
    fn stage(&mut self, text: &str) -> Result<Stage, &'static str> {
        let Some(Score { scale, stage: Some(stage) }) = score(text) else {
            return Err("not a stage; expected -1, 0, 1, 2, 3 or 4, or W, N1, N2, N3 or R");
        };
        // 4 is REM as a number and S4 is deep sleep, so 4 is ambiguous in a file that mixes the two.
        if stage != Stage::Unknown && *self.scale.get_or_insert(scale) != scale {
            return Err("the file mixes numbers and letters");
        }
        Ok(stage)
    }

    /// Creates the session, or returns why it is invalid.
    pub(super) fn end(&self) -> Result<Option<SleepRecord>, String> {
        if let Some(reason) = &self.wrong {
            return Err(reason.clone());
        }
        if self.epochs == 0 {
            return Ok(None);
        }
        let offset = UtcOffset::from_seconds(self.start.offset().local_minus_utc());
        let start = self.start.to_utc();
        let time_in_bed = session::time_in_bed((start, offset), (after(start, self.epochs)?, offset))?;
        let hypnogram =
            Hypnogram::new(self.entries(start)?, &time_in_bed).map_err(|error| error.to_string())?;
        let head = SleepRecordHead {
            key: SessionKey::derived_from(time_in_bed.start()),
            source: session::source("polysomnography")?,
            time_in_bed,
            is_nap: None,
        };
        SleepRecord::from_stages(head, hypnogram).map(Some).map_err(|error| error.to_string())
    }

    fn entries(&self, start: DateTime<Utc>) -> Result<Vec<StageEntry>, String> {
        let mut passed = 0_i64;
        let mut entries = Vec::with_capacity(self.runs.len());
        for Run { stage, epochs } in &self.runs {
            let from = after(start, passed)?;
            passed = passed.saturating_add(*epochs);
            let entry = StageEntry::new(*stage, from, after(start, passed)?);
            entries.push(entry.map_err(|error| error.to_string())?);
        }
        Ok(entries)
    }
}

/// Returns the instant this many epochs after another.
fn after(start: DateTime<Utc>, epochs: i64) -> Result<DateTime<Utc>, String> {
    let passed = TimeDelta::try_milliseconds(epochs.saturating_mul(EPOCH_MILLIS));
    let instant = passed.and_then(|passed| start.checked_add_signed(passed));
    instant.ok_or_else(|| "a time is out of range".to_owned())
}
