//! Sessions and stages of two tables of one maker, joined by the id of the session after the last file.
//!
//! The key of each session is derived from its start, so that a later import of the table of sessions alone
//! does not replace a night with stages.

mod stored;

use crate::collections::Collection;
use crate::input::Fields;
use crate::segments::{Comparisons, DUPLICATES_NOTE, SEGMENT_LIMIT, SESSION_LIMIT, too_many};
use crate::session;
use crate::source::{Invalid, Items, Notes};
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, Utc};
use domain::sleep::{SessionKey, SleepSource, SourceTotals, Stage, TimeInBed};
use domain::time::UtcOffset;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use stored::{Place, StoredSession, StoredStage, record, time_in_bed_of};

/// Maximum number of ids of sessions and stages; stages alone may have fewer, so that sessions have room.
const ID_LIMIT: usize = 4 * SESSION_LIMIT;

/// Returns the id of a session in a row, or why it is none.
pub(crate) fn id<'a>(row: &'a Fields<'_>, name: &str) -> Result<&'a str, String> {
    let id = row.get(name).ok_or_else(|| format!("{name} is missing"))?;
    if id.len() > SessionKey::MAX_CHARS {
        return Err(format!("{name} is longer than {} bytes", SessionKey::MAX_CHARS));
    }
    Ok(id)
}

/// A row of the table of sessions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JoinedSession {
    pub(crate) time_in_bed: TimeInBed,
    pub(crate) source: Option<SleepSource>,
    pub(crate) is_nap: Option<bool>,
    /// Totals that the row states. They are used if the stages cover less than 90 percent of them.
    pub(crate) totals: SourceTotals,
}

/// A row of the table of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JoinedStage {
    pub(crate) stage: Stage,
    pub(crate) start: DateTime<Utc>,
    pub(crate) end: DateTime<Utc>,
    /// Offset of a session that is formed from stages alone.
    pub(crate) offset: Option<UtcOffset>,
}

/// Words and names of a maker's tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JoinNames {
    /// Unit of positions in reports: `line` or `record`.
    pub(crate) unit: &'static str,
    /// Source of sessions that are formed from stages alone.
    pub(crate) source: &'static str,
    /// Note on an import of sessions without any stage; empty if there is nothing to advise.
    pub(crate) without_stages: &'static str,
}

/// Collects the rows of both tables, also of several files, then emits sessions in the order of their ids'
/// first rows.
#[derive(Debug)]
pub(crate) struct Join {
    names: JoinNames,
    file: u32,
    ids: HashMap<Box<str>, u32>,
    /// Ids that are read as another one.
    united: HashMap<u32, u32>,
    sessions: VecDeque<StoredSession>,
    stages: Vec<StoredStage>,
    /// Items to emit next, each with its file; `None` until all rows are known.
    waiting: Option<VecDeque<(u32, Items)>>,
    /// Number of stages whose sessions were emitted.
    passed: usize,
    /// Length of the longest stage in milliseconds.
    longest: u32,
    /// Of the sessions of the current id.
    comparisons: Comparisons,
    next_id: u32,
}

impl Join {
    pub(crate) fn new(names: JoinNames) -> Self {
        Self {
            names,
            file: 0,
            ids: HashMap::new(),
            united: HashMap::new(),
            sessions: VecDeque::new(),
            stages: Vec::new(),
            waiting: None,
            passed: 0,
            longest: 0,
            comparisons: Comparisons::default(),
            next_id: 0,
        }
    }

    /// Adds a row of the table of sessions, which has this number; too many reject the file.
    pub(crate) fn add_session(
        &mut self,
        id: &str,
        number: u64,
        session: JoinedSession,
        notes: Notes,
    ) -> Result<(), Invalid> {
        if self.sessions.len() >= SESSION_LIMIT {
            return Err(too_many("sessions", SESSION_LIMIT).into());
        }
        let (id, place) = (self.number(id, ID_LIMIT)?, self.place(number));
        self.sessions.push_back(StoredSession { id, place, session, notes });
        Ok(())
    }

    /// Adds a row of the table of stages, which has this number; too many reject the file.
    pub(crate) fn add_stage(&mut self, id: &str, number: u64, stage: JoinedStage) -> Result<(), Invalid> {
        let interval =
            TimeInBed::new(stage.start, stage.end, None, None).map_err(|error| error.to_string())?;
        if self.stages.len() >= SEGMENT_LIMIT {
            return Err(too_many("stages", SEGMENT_LIMIT).into());
        }
        let (id, place) = (self.number(id, SESSION_LIMIT)?, self.place(number));
        let length = u32::try_from(interval.millis()).unwrap_or(u32::MAX);
        self.longest = self.longest.max(length);
        self.stages.push(StoredStage {
            id,
            start: interval.start_millis(),
            length,
            stage: stage.stage.code(),
            place,
            offset: stage.offset.map(UtcOffset::minutes),
            is_used: false,
        });
        Ok(())
    }

    /// Reads the rows of an id as those of another one; too many ids reject the file.
    pub(crate) fn unite(&mut self, id: &str, with: &str) -> Result<(), Invalid> {
        let [id, with] =
            [self.number(id, ID_LIMIT)?, self.number(with, ID_LIMIT)?].map(|id| self.representative(id));
        if id != with {
            self.united.insert(id, with);
        }
        Ok(())
    }

    /// Returns the id as which another one is read, and shortens the way to it.
    fn representative(&mut self, id: u32) -> u32 {
        let mut found = id;
        while let Some(with) = self.united.get(&found) {
            found = *with;
        }
        let mut passed = id;
        while passed != found {
            passed = self.united.insert(passed, found).unwrap_or(found);
        }
        found
    }

    /// Replaces each united id.
    fn replace_united(&mut self) {
        if self.united.is_empty() {
            return;
        }
        let (mut stages, mut sessions) =
            (std::mem::take(&mut self.stages), std::mem::take(&mut self.sessions));
        for id in stages.iter_mut().map(|stored| &mut stored.id) {
            *id = self.representative(*id);
        }
        for id in sessions.iter_mut().map(|stored| &mut stored.id) {
            *id = self.representative(*id);
        }
        (self.stages, self.sessions) = (stages, sessions);
    }

    fn number(&mut self, id: &str, limit: usize) -> Result<u32, ImportRefusal> {
        if let Some(number) = self.ids.get(id) {
            return Ok(*number);
        }
        let number = u32::try_from(self.ids.len()).ok().filter(|_| self.ids.len() < limit);
        let number = number.ok_or_else(|| too_many("sessions", SESSION_LIMIT))?;
        self.ids.insert(id.into(), number);
        Ok(number)
    }

    fn place(&self, number: u64) -> Place {
        Place { file: self.file, number: u32::try_from(number).unwrap_or(u32::MAX) }
    }

    fn described(&self, place: Place) -> String {
        format!("{} {}", self.names.unit, place.number)
    }

    /// Sorts the rows, drops those that the import repeats, and notes what concerns the whole import.
    fn prepare(&mut self) -> VecDeque<(u32, Items)> {
        self.ids = HashMap::new();
        self.replace_united();
        let (mut repeated, mut first) = (0_usize, None);
        let mut count = |place: Place| {
            repeated = repeated.saturating_add(1);
            first = Some(first.unwrap_or(place).min(place));
        };
        self.stages.sort_unstable();
        self.stages.dedup_by(|next, kept| {
            let key = |stored: &StoredStage| (stored.id, stored.start, stored.length, stored.stage);
            let is_the_same = key(next) == key(kept);
            if is_the_same {
                count(next.place);
            }
            is_the_same
        });
        let order = |stored: &StoredSession| {
            let bed = stored.session.time_in_bed;
            (stored.id, bed.start_millis(), bed.end_millis(), stored.place)
        };
        let mut sessions = Vec::from(std::mem::take(&mut self.sessions));
        sessions.sort_by_key(order);
        sessions.dedup_by(|next, kept| {
            let is_the_same = next.id == kept.id && next.session == kept.session;
            if is_the_same {
                count(next.place);
            }
            is_the_same
        });
        let mut waiting = VecDeque::new();
        let mut note = |place: Place, note: &dyn Fn(&str, &mut Items)| {
            let mut items = Items::default();
            note(&self.described(place), &mut items);
            waiting.push_back((place.file, items));
        };
        if let Some(first) = first {
            note(first, &|place, items| items.note_count(place, DUPLICATES_NOTE, repeated));
        }
        if let Some(first) = sessions.first()
            && self.stages.is_empty()
            && !self.names.without_stages.is_empty()
        {
            note(first.place, &|place, items| items.note(place, self.names.without_stages));
        }
        self.sessions = sessions.into();
        waiting
    }

    /// Emits the next session, or the stages of an id that no session has; `None` after the last.
    fn next_of_rows(&mut self) -> Option<VecDeque<(u32, Items)>> {
        let next_stage = self.stages.get(self.passed).map(|stage| stage.id);
        let next_session = self.sessions.front().map(|stored| stored.id);
        let id = next_stage.into_iter().chain(next_session).min()?;
        let of_id = self.passed..self.stages.partition_point(|stage| stage.id <= id);
        if self.next_id <= id {
            self.next_id = id.saturating_add(1);
            self.comparisons = Comparisons::with(of_id.len());
        }
        let Some(stored) = self.sessions.pop_front_if(|stored| stored.id == id) else {
            self.passed = of_id.end;
            let stages = self.stages.get(of_id).unwrap_or_default();
            return Some(self.formed_from_stages(stages).into_iter().collect());
        };
        let mut emitted = VecDeque::from([self.joined(stored, of_id.clone())]);
        if self.sessions.front().is_none_or(|next| next.id != id) {
            self.passed = of_id.end;
            emitted.extend(self.note_unused(of_id));
        }
        Some(emitted)
    }

    /// Joins a session with the stages of its id that it overlaps.
    fn joined(&mut self, stored: StoredSession, of_id: Range<usize>) -> (u32, Items) {
        let StoredSession { place, session, mut notes, .. } = stored;
        let within = self.overlapping(&session.time_in_bed, of_id);
        let bed = session.time_in_bed;
        let is_beyond =
            |stage: &&StoredStage| stage.start < bed.start_millis() || bed.end_millis() < stage.end();
        let outcome = within.and_then(|within| {
            notes.count(
                within.iter().filter(is_beyond).count(),
                "stages that extend beyond the time in bed were trimmed",
            );
            record(session, &within, &mut notes)
        });
        let mut items = Items::default();
        items.finish_session(&self.described(place), notes, outcome);
        (place.file, items)
    }

    /// Returns the stages of an id that overlap a time in bed.
    fn overlapping(&mut self, bed: &TimeInBed, of_id: Range<usize>) -> Result<Vec<StoredStage>, String> {
        let stages = self.stages.get_mut(of_id).unwrap_or_default();
        let earliest = bed.start_millis().saturating_sub(self.longest.into());
        let first = stages.partition_point(|stage| stage.start < earliest);
        let last = stages.partition_point(|stage| stage.start < bed.end_millis());
        let compared = stages.get_mut(first..last).unwrap_or_default();
        self.comparisons.count(compared.len())?;
        let mut within = Vec::new();
        for stage in compared.iter_mut().filter(|stage| bed.start_millis() < stage.end()) {
            stage.is_used = true;
            within.push(*stage);
        }
        Ok(within)
    }

    /// Notes the stages of an id that are in no session.
    fn note_unused(&self, of_id: Range<usize>) -> Option<(u32, Items)> {
        let unused =
            || self.stages.get(of_id.clone()).unwrap_or_default().iter().filter(|stage| !stage.is_used);
        let first = unused().map(|stage| stage.place).min()?;
        let mut items = Items::default();
        let reason = "stages outside the session with their id were omitted";
        items.note_count(&self.described(first), reason, unused().count());
        Some((first.file, items))
    }

    /// Forms a session from stages whose id no session has.
    fn formed_from_stages(&self, stages: &[StoredStage]) -> Option<(u32, Items)> {
        let place = stages.iter().map(|stage| stage.place).min()?;
        let mut notes = Notes::default();
        notes.add("no session has the id of these stages; the session was formed from them");
        let outcome = time_in_bed_of(stages).and_then(|time_in_bed| {
            let source = session::source(self.names.source)?;
            let totals = SourceTotals::default();
            record(JoinedSession { time_in_bed, source, is_nap: None, totals }, stages, &mut notes)
        });
        let mut items = Items::default();
        items.finish_session(&self.described(place), notes, outcome);
        Some((place.file, items))
    }
}

impl Collection for Join {
    fn begin_file(&mut self, file: u32) {
        self.file = file;
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        if self.waiting.is_none() {
            self.waiting = Some(self.prepare());
        }
        loop {
            if let Some((file, found)) = self.waiting.as_mut().and_then(VecDeque::pop_front) {
                items.append(found);
                return Some(file);
            }
            self.waiting = Some(self.next_of_rows()?);
        }
    }
}

#[cfg(test)]
mod tests;
