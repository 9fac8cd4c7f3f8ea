//! Rows of both tables as they wait for the last file, and the sessions that are made of them.

use super::JoinedSession;
use crate::session;
use crate::source::Notes;
use chrono::DateTime;
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, Stage, StageEntry, TimeInBed};
use domain::time::UtcOffset;

#[derive(Debug)]
pub(super) struct StoredSession {
    pub(super) id: u32,
    pub(super) place: Place,
    pub(super) session: JoinedSession,
    pub(super) notes: Notes,
}

/// A stage; sorts by session, then in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoredStage {
    pub(super) id: u32,
    pub(super) start: i64,
    /// Length in milliseconds, at most seven days.
    pub(super) length: u32,
    pub(super) stage: u8,
    pub(super) place: Place,
    pub(super) offset: Option<i16>,
    /// Whether it is in a session that was emitted.
    pub(super) is_used: bool,
}

impl StoredStage {
    pub(super) fn end(&self) -> i64 {
        self.start.saturating_add(self.length.into())
    }

    fn entry(&self) -> Result<StageEntry, String> {
        let at = |millis| DateTime::from_timestamp_millis(millis).ok_or("a time is out of range");
        let stage = Stage::from_code(self.stage).unwrap_or(Stage::Unknown);
        StageEntry::new(stage, at(self.start)?, at(self.end())?).map_err(|error| error.to_string())
    }
}

/// File and line or record number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) number: u32,
}

/// Returns the time in bed of stages without a session.
pub(super) fn time_in_bed_of(stages: &[StoredStage]) -> Result<TimeInBed, String> {
    let none = || "it has no stages".to_owned();
    let first = stages.first().ok_or_else(none)?;
    let last = stages.iter().max_by_key(|stage| stage.end()).ok_or_else(none)?;
    let offset = |stage: &StoredStage| stage.offset.and_then(UtcOffset::from_minutes);
    let (start, end) = (first.entry()?.start(), last.entry()?.end());
    session::time_in_bed((start, offset(first)), (end, offset(last)))
}

/// Creates a session from its row and its stages.
pub(super) fn record(
    session: JoinedSession,
    stages: &[StoredStage],
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let JoinedSession { time_in_bed, source, is_nap, totals } = session;
    let entries = stages.iter().map(StoredStage::entry).collect::<Result<_, _>>()?;
    let hypnogram = Hypnogram::flatten(entries, &time_in_bed).map_err(|error| error.to_string())?;
    let metrics = session::metrics(&totals, &time_in_bed, notes);
    let key = SessionKey::derived_from(time_in_bed.start());
    let head = SleepRecordHead { key, source, time_in_bed, is_nap };
    session::with_stages(head, hypnogram, metrics, notes)
}
