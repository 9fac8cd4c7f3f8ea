//! From epochs to a session.

use super::PLACE;
use super::values::Place;
use application::ports::import_source::{ImportItem, ImportedSession};
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSource, Stage, StageEntry, TimeInBed,
};
use domain::time::UtcOffset;

/// How long one epoch is, in milliseconds.
const EPOCH_MILLIS: i64 = 30_000;
/// The most epochs of one night.
const EPOCH_LIMIT: i64 = TimeInBed::MAX_MILLIS / EPOCH_MILLIS;

/// Reads a finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Gives the stage of a value: N1 and N2 are light sleep.
pub(super) fn stage(number: f64) -> Option<Stage> {
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

/// Equal epochs in a row.
struct Run {
    stage: Stage,
    epochs: i64,
}

/// The epochs of a file so far, as runs.
pub(super) struct Night {
    start: DateTime<FixedOffset>,
    runs: Vec<Run>,
    epochs: i64,
    wrong: Option<Place>,
}

impl Night {
    pub(super) const fn new(start: DateTime<FixedOffset>) -> Self {
        Self { start, runs: Vec::new(), epochs: 0, wrong: None }
    }

    /// Adds an epoch; after the first wrong one, and beyond the longest night, none is kept.
    pub(super) fn add(&mut self, text: &str, place: Place) {
        let stage = number(text).and_then(stage);
        self.epochs = self.epochs.saturating_add(1);
        if self.wrong.is_some() || self.epochs > EPOCH_LIMIT {
            return;
        }
        match (stage, self.runs.last_mut()) {
            (None, _) => self.wrong = Some(place),
            (Some(stage), Some(run)) if run.stage == stage => run.epochs = run.epochs.saturating_add(1),
            (Some(stage), _) => self.runs.push(Run { stage, epochs: 1 }),
        }
    }

    /// Makes the session, if there is any epoch, or says why it is none.
    pub(super) fn end(&self) -> Result<Option<ImportItem>, String> {
        if let Some(place) = self.wrong {
            return Err(format!("{place}: the value is none of -1, 0, 1, 2, 3 and 4"));
        }
        if self.epochs == 0 {
            return Ok(None);
        }
        let offset = UtcOffset::from_seconds(self.start.offset().local_minus_utc());
        let start = self.start.to_utc();
        let time_in_bed = TimeInBed::new(start, after(start, self.epochs)?, offset, offset)
            .map_err(|error| format!("time in bed: {error}"))?;
        let hypnogram =
            Hypnogram::new(self.entries(start)?, &time_in_bed).map_err(|error| error.to_string())?;
        let head = SleepRecordHead {
            key: SessionKey::derived_from(time_in_bed.start()),
            source: Some(SleepSource::parse("polysomnography").map_err(|error| error.to_string())?),
            time_in_bed,
            is_nap: None,
        };
        let record = SleepRecord::from_stages(head, hypnogram).map_err(|error| error.to_string())?;
        let place = PLACE.to_owned();
        Ok(Some(ImportItem::Session(Box::new(ImportedSession { place, id: None, record, updated_at: None }))))
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

/// Gives the instant so many epochs after another.
fn after(start: DateTime<Utc>, epochs: i64) -> Result<DateTime<Utc>, String> {
    let passed = TimeDelta::try_milliseconds(epochs.saturating_mul(EPOCH_MILLIS));
    let instant = passed.and_then(|passed| start.checked_add_signed(passed));
    instant.ok_or_else(|| "a time is out of range".to_owned())
}
