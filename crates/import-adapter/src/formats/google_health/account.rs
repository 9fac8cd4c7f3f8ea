//! Nights of an account: rows of its tables, and the logs of its JSON in the same import.
//!
//! The two have ids of different kinds, so a night that both contain is found by its time.

use super::SOURCE;
use super::known_logs::{KnownLog, KnownLogs};
use super::placeholder::{self, Evidence, Reading};
use super::written_offsets::WrittenOffsets;
use crate::collections::{Collection, Collections};
use crate::formats::Format;
use crate::join::{Join, JoinNames, JoinedSession, JoinedStage};
use crate::segments::{DUPLICATES_NOTE, SESSION_LIMIT, too_many};
use crate::source::{Invalid, Items, Notes};
use crate::tally::Tally;
use application::ports::import_source::{ImportItem, ImportRefusal};
use chrono::{DateTime, NaiveDateTime, Utc};
use domain::sleep::{Detail, Hypnogram, SleepRecord, SleepRecordHead};
use domain::time::{TimeZone, UtcOffset};

const NAMES: JoinNames = JoinNames {
    unit: "line",
    source: SOURCE,
    without_stages: "the nights have no stages; import the files UserSleepStages of the same export together \
        with these, or the whole zip",
};
const IN_JSON_NOTE: &str = "nights that the JSON of the same import contains as well were read from there";
const RICHER_NOTE: &str = "nights of the JSON of the same import have the stages of this table";
const LOCAL_NOTE: &str = "nights with the offset +00:00 whose times are local times, as the JSON of the same \
    import shows; they were read in the zone given for the import";
const INSTANT_NOTE: &str = "nights with the offset +00:00 whose local time is another, as the JSON of the same \
    import shows; they have the offset of the zone given for the import";
const WRITTEN_NOTE: &str = "nights with the offset +00:00, which the export also writes where it does not know \
    the offset; their times were read as UTC";

/// A row of the table of sessions.
#[derive(Debug)]
pub(super) struct SessionRow {
    pub(super) id: Box<str>,
    pub(super) line: u64,
    pub(super) session: JoinedSession,
    pub(super) notes: Notes,
    /// When the row was last changed.
    pub(super) updated: Option<DateTime<Utc>>,
}

/// Nights of one account, also of several files.
#[derive(Debug)]
pub(crate) struct Account {
    zone: TimeZone,
    file: u32,
    logs: KnownLogs,
    offsets: WrittenOffsets,
    /// Rows, each with its file, until all files were read.
    rows: Vec<(u32, SessionRow)>,
    join: Join,
    is_complete: bool,
    evidence: Evidence,
    tally: Tally,
}

impl Account {
    /// Creates an empty account; `zone` is that of rows without an offset.
    pub(crate) fn new(zone: TimeZone) -> Self {
        let (logs, rows, join) = (KnownLogs::default(), Vec::new(), Join::new(NAMES));
        let (offsets, evidence, tally) = (WrittenOffsets::default(), Evidence::default(), Tally::default());
        Self { zone, file: 0, logs, offsets, rows, join, is_complete: false, evidence, tally }
    }

    /// Exchanges the nights of a file for those of the other files.
    pub(crate) fn exchange(&mut self, collections: &mut Collections) {
        let zone = self.zone;
        collections.exchange(Format::GoogleHealth, self, || Self::new(TimeZone::UTC));
        self.zone = zone;
    }

    /// Registers a session of Fitbit's JSON, which its reader emits itself; too many reject the file.
    pub(crate) fn add_log(&mut self, record: &SleepRecord) -> Result<(), ImportRefusal> {
        self.logs.add(record)
    }

    /// Returns the offsets at the start and the end that the table of sessions has for a night with these
    /// local times, if the zone has others.
    pub(crate) fn written_offsets(
        &self,
        start: NaiveDateTime,
        end: NaiveDateTime,
    ) -> Option<(UtcOffset, UtcOffset)> {
        self.offsets.find(start, end)
    }

    /// Adds a row of the table of sessions; too many reject the file.
    pub(super) fn add_session(&mut self, row: SessionRow) -> Result<(), Invalid> {
        if self.rows.len() >= SESSION_LIMIT {
            return Err(too_many("sessions", SESSION_LIMIT).into());
        }
        if !placeholder::may_be_placeholder(&row.session.time_in_bed, self.zone) {
            self.offsets.add(&row.session.time_in_bed, row.updated, self.zone);
        }
        self.rows.push((self.file, row));
        Ok(())
    }

    /// Adds a row of the table of stages; too many reject the file.
    pub(super) fn add_stage(&mut self, id: &str, line: u64, stage: JoinedStage) -> Result<(), Invalid> {
        self.join.add_stage(id, line, stage)
    }

    /// Passes the rows on to the join, after all files were read.
    fn complete(&mut self) {
        self.is_complete = true;
        self.logs.sort();
        for (file, row) in latest(std::mem::take(&mut self.rows), &mut self.tally) {
            let SessionRow { id, line, session, notes, .. } = row;
            if placeholder::may_be_placeholder(&session.time_in_bed, self.zone) && !self.logs.is_empty() {
                self.evidence.add(&session.time_in_bed, self.zone, &self.logs);
            }
            self.join.begin_file(file);
            // The only error is that of too many sessions, whose number is limited above.
            let _within_limit = self.join.add_session(&id, line, session, notes);
        }
    }

    /// Returns the record to emit for a joined one; `None` if the JSON contains the night.
    fn checked(&mut self, record: SleepRecord, file: u32, place: &str) -> Option<SleepRecord> {
        let (record, note) = self.with_offset(record);
        let bed = record.time_in_bed();
        let whole = || self.logs.find_around(bed).filter(|log| log.detail >= record.detail());
        let Some(log) = self.logs.find(bed).or_else(whole) else {
            if let Some(note) = note {
                self.tally.add(note, file, place);
            }
            return Some(record);
        };
        let richer = (record.detail() > log.detail).then(|| in_place_of(log, &record)).flatten();
        self.tally.add(if richer.is_some() { RICHER_NOTE } else { IN_JSON_NOTE }, file, place);
        richer
    }

    /// Corrects a record whose offset may stand for an unknown one; also returns the note on it.
    fn with_offset(&self, record: SleepRecord) -> (SleepRecord, Option<&'static str>) {
        if !placeholder::may_be_placeholder(record.time_in_bed(), self.zone) {
            return (record, None);
        }
        match placeholder::corrected(&record, self.evidence, self.zone, &self.logs) {
            Some((corrected, Reading::InstantInZone)) => (corrected, Some(INSTANT_NOTE)),
            Some((corrected, Reading::LocalInZone)) => (corrected, Some(LOCAL_NOTE)),
            Some((_, Reading::Written)) | None => (record, Some(WRITTEN_NOTE)),
        }
    }
}

/// Returns the record with the time in bed of a less detailed log, which it then replaces; `None` if it has
/// no stages and another time in bed.
fn in_place_of(log: &KnownLog, record: &SleepRecord) -> Option<SleepRecord> {
    let head = SleepRecordHead { time_in_bed: log.time_in_bed, ..record.head().clone() };
    let replaced = if record.detail() == Detail::Stages {
        let hypnogram = Hypnogram::flatten(record.hypnogram().entries().to_vec(), &log.time_in_bed).ok()?;
        SleepRecord::from_stages(head, hypnogram)
    } else {
        SleepRecord::from_metrics(head, record.metrics().clone())
    };
    replaced.ok().map(SleepRecord::with_derived_key)
}

/// Returns the rows without the earlier states of those with the same id and mostly the same time.
fn latest(mut rows: Vec<(u32, SessionRow)>, tally: &mut Tally) -> Vec<(u32, SessionRow)> {
    rows.sort_by(|(_, one), (_, other)| {
        (&one.id, one.session.time_in_bed.start()).cmp(&(&other.id, other.session.time_in_bed.start()))
    });
    rows.dedup_by(|(next_file, next), (file, kept)| {
        let is_state = next.id == kept.id
            && next.session.time_in_bed.shares_half_of_longer(&kept.session.time_in_bed)
            && next.updated != kept.updated
            && next.session != kept.session;
        if is_state {
            if next.updated > kept.updated {
                std::mem::swap(next_file, file);
                std::mem::swap(next, kept);
            }
            tally.add(DUPLICATES_NOTE, *next_file, &format!("line {}", next.line));
        }
        is_state
    });
    rows
}

impl Collection for Account {
    fn begin_file(&mut self, file: u32) {
        self.file = file;
        self.join.begin_file(file);
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        if !self.is_complete {
            self.complete();
        }
        let mut found = Items::default();
        let Some(file) = self.join.next_session(&mut found) else { return self.tally.emit(items) };
        for item in found.take() {
            let ImportItem::Session(session) = item else {
                items.add(item);
                continue;
            };
            let mut session = *session;
            // The notes that follow are on this session.
            let Some(record) = self.checked(session.record, file, &session.place) else { break };
            session.record = record;
            items.add(ImportItem::Session(Box::new(session)));
        }
        Some(file)
    }
}
