//! Nights of an account, with the states of their time.

use super::reader::StateRow;
use super::sleep_row::Night;
use super::states::{AllStates, NightStates, Place, State};
use crate::collections::Collection;
use crate::segments::{DUPLICATES_NOTE, SEGMENT_LIMIT, SESSION_LIMIT, too_many};
use crate::session;
use crate::source::{Items, Notes};
use application::ports::import_source::ImportRefusal;
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, Stage, TimeInBed};
use std::collections::{HashSet, VecDeque};

const WITHOUT_STATES_NOTE: &str = "the import has no states of these nights, so they have no stages; import \
    sleep.csv together with raw_tracker_sleep-state.csv of the same export, or the whole zip";
const WITHOUT_NIGHTS_NOTE: &str = "the sessions were formed from their states; import sleep.csv of the same \
    export together with this table, or the whole zip";
const AWAKE_NOTE: &str = "states without any sleep were omitted";
const OUTSIDE_NOTE: &str = "states before or after the night of the same time were omitted";
const NO_REM_NOTE: &str = "no night has REM sleep, which the device did not measure; it is unknown";

/// Counts what concerns the whole import, each with the place of its first record.
#[derive(Debug, Default)]
struct Tally {
    all: Vec<(&'static str, Place, usize)>,
}

impl Tally {
    fn add(&mut self, note: &'static str, place: Place, amount: usize) {
        match self.all.iter_mut().find(|(known, ..)| *known == note) {
            Some((_, first, count)) => {
                *first = place.min(*first);
                *count = count.saturating_add(amount);
            }
            None => self.all.push((note, place, amount)),
        }
    }

    fn emit(&mut self, items: &mut Items) -> Option<u32> {
        let (note, place, count) = self.all.pop()?;
        items.note_count(&place.described(), note, count);
        Some(place.file)
    }
}

/// Rows of both tables, also of several files.
#[derive(Debug, Default)]
pub(crate) struct Account {
    file: u32,
    nights: VecDeque<(Place, Night)>,
    states: AllStates,
    /// Digests of the rows of states.
    known: HashSet<u64>,
    tally: Tally,
    is_complete: bool,
    has_nights: bool,
}

impl Account {
    /// Adds a row of the table of nights; too many reject the file.
    pub(super) fn add_night(&mut self, line: u64, night: Night) -> Result<(), ImportRefusal> {
        if self.nights.len() >= SESSION_LIMIT {
            return Err(too_many("sessions", SESSION_LIMIT));
        }
        self.nights.push_back((Place::new(self.file, line), night));
        Ok(())
    }

    /// Adds the rows of a table of states, and the states of all of them; too many reject the file.
    pub(super) fn add_states(
        &mut self,
        rows: &[StateRow],
        mut states: Vec<State>,
    ) -> Result<(), ImportRefusal> {
        let mut are_new = rows.iter().flat_map(|row| {
            let is_new = self.known.insert(row.digest);
            if !is_new {
                self.tally.add(DUPLICATES_NOTE, Place::new(self.file, row.line), 1);
            }
            std::iter::repeat_n(is_new, row.states)
        });
        states.retain(|_| are_new.next() == Some(true));
        // A row may have no states.
        are_new.for_each(drop);
        if self.known.len() > SEGMENT_LIMIT {
            return Err(too_many("rows of states", SEGMENT_LIMIT));
        }
        for state in &mut states {
            state.place.file = self.file;
        }
        self.states.add(states)
    }

    /// Sorts the nights, drops those that the import repeats, and notes what concerns all of them.
    fn complete(&mut self, items: &mut Items) -> Option<u32> {
        self.is_complete = true;
        self.known = HashSet::new();
        let mut nights = Vec::from(std::mem::take(&mut self.nights));
        nights.sort_by_key(|(place, night)| {
            (night.time_in_bed.start_millis(), night.time_in_bed.end_millis(), *place)
        });
        nights.dedup_by(|(place, next), (_, kept)| {
            let is_the_same = (next.time_in_bed, &next.totals) == (kept.time_in_bed, &kept.totals);
            if is_the_same {
                self.tally.add(DUPLICATES_NOTE, *place, 1);
            }
            is_the_same
        });
        self.has_nights = !nights.is_empty();
        self.nights = nights.into();
        self.forget_rem_unless_measured();
        let first = self.nights.iter().map(|(place, _)| *place).min();
        match first.filter(|_| self.states.is_empty()) {
            Some(place) => {
                items.note(&place.described(), WITHOUT_STATES_NOTE);
                Some(place.file)
            }
            None => self.note_lack_of_nights(items),
        }
    }

    fn note_lack_of_nights(&self, items: &mut Items) -> Option<u32> {
        let place = self.states.first_place().filter(|_| !self.has_nights)?;
        items.note(&place.described(), WITHOUT_NIGHTS_NOTE);
        Some(place.file)
    }

    /// Makes REM sleep unknown if it is 0 in every night: older devices do not measure it.
    fn forget_rem_unless_measured(&mut self) {
        let is_asleep = |night: &Night| night.totals.asleep.is_some_and(|asleep| !asleep.is_zero());
        let without = |night: &Night| is_asleep(night) && night.totals.rem.is_some_and(|rem| rem.is_zero());
        if self.nights.iter().any(|(_, night)| night.totals.rem.is_some_and(|rem| !rem.is_zero())) {
            return;
        }
        for (place, night) in self.nights.iter_mut().filter(|(_, night)| without(night)) {
            night.totals.rem = None;
            self.tally.add(NO_REM_NOTE, *place, 1);
        }
    }

    fn emit_night(&mut self, place: Place, night: Night, items: &mut Items) {
        let Night { time_in_bed, totals, mut notes } = night;
        let outcome = self.states.of_night(&time_in_bed).and_then(|found| {
            notes.count(found.of_others, "states of other tables at the same time were omitted");
            let beyond = found.states.iter().filter(|state| state.is_beyond(&time_in_bed)).count();
            notes.count(beyond, "states that extend beyond the time in bed were trimmed");
            // An older mat has one code for all sleep, and no row says so.
            let is_light_only = !found.has_depth
                && totals.deep.is_some_and(|deep| deep.is_zero())
                && totals.rem.is_none_or(|rem| rem.is_zero());
            let hypnogram = hypnogram(&found, is_light_only.then_some(Stage::Asleep), &time_in_bed)?;
            let metrics = session::metrics(&totals, &time_in_bed, &mut notes);
            session::with_stages(head(time_in_bed)?, hypnogram, metrics, &mut notes)
        });
        items.finish_session(&place.described(), notes, outcome);
    }

    /// Emits the session of states without a night, if they are of sleep.
    fn emit_group(&mut self, group: &[State], items: &mut Items) -> Option<u32> {
        let place = group.iter().map(|state| state.place).min()?;
        let outside = group.iter().filter(|state| !state.is_of_night).count();
        if outside < group.len() {
            if outside > 0 {
                self.tally.add(OUTSIDE_NOTE, place, outside);
            }
        } else if group.iter().all(|state| state.stage() == Stage::Awake) {
            self.tally.add(AWAKE_NOTE, place, group.len());
        } else {
            let mut notes = Notes::default();
            if self.has_nights {
                notes.add(
                    "no row of sleep.csv has the time of these states; the session was formed from them",
                );
            }
            items.finish_session(&place.described(), notes, from_states(group));
        }
        Some(place.file)
    }
}

fn head(time_in_bed: TimeInBed) -> Result<SleepRecordHead, String> {
    let key = SessionKey::derived_from(time_in_bed.start());
    Ok(SleepRecordHead { key, source: session::source("withings")?, time_in_bed, is_nap: None })
}

/// Returns the stages of a night; `asleep` is the stage of light sleep if it is another.
fn hypnogram(
    found: &NightStates,
    asleep: Option<Stage>,
    time_in_bed: &TimeInBed,
) -> Result<Hypnogram, String> {
    let stage = |state: &State| asleep.filter(|_| state.stage() == Stage::Light);
    let entries = found.states.iter().filter_map(|state| state.entry(stage(state))).collect();
    Hypnogram::flatten(entries, time_in_bed).map_err(|error| error.to_string())
}

fn from_states(group: &[State]) -> Result<SleepRecord, String> {
    let none = || "a time is out of range".to_owned();
    let start = group.first().and_then(State::start).ok_or_else(none)?;
    let last = group.iter().max_by_key(|state| state.end().map(|(end, _)| end));
    let end = last.and_then(State::end).ok_or_else(none)?;
    let time_in_bed = session::time_in_bed(start, end)?;
    let entries = group.iter().filter_map(|state| state.entry(None)).collect();
    let hypnogram = Hypnogram::flatten(entries, &time_in_bed).map_err(|error| error.to_string())?;
    SleepRecord::from_stages(head(time_in_bed)?, hypnogram).map_err(|error| error.to_string())
}

impl Collection for Account {
    fn begin_file(&mut self, file: u32) {
        self.file = file;
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        if !self.is_complete
            && let Some(file) = self.complete(items)
        {
            return Some(file);
        }
        if let Some((place, night)) = self.nights.pop_front() {
            self.emit_night(place, night, items);
            return Some(place.file);
        }
        match self.states.next_group() {
            Some(group) => self.emit_group(&group, items),
            None => self.tally.emit(items),
        }
    }
}
