//! Readers of both tables, which pass their rows to the nights of the account.

use super::nights::Account;
use super::sleep_row::{self, SleepTable};
use super::state_row::{self, InvalidStates, StateTable};
use super::states::{Place, State};
use crate::collections::Collections;
use crate::formats::Format;
use crate::input::TableReader;
use crate::segments::{SEGMENT_LIMIT, too_many};
use crate::source::{Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::sleep::Stage;
use domain::time::TimeZone;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Maximum number of rejections that wait for the end of their file.
const WAITING_LIMIT: usize = 1000;

/// Reads `sleep.csv`.
pub(super) struct SleepReader {
    table: TableReader<SleepTable>,
    zone: TimeZone,
    account: Account,
}

impl SleepReader {
    pub(super) fn new(table: TableReader<SleepTable>, zone: TimeZone) -> Self {
        Self { table, zone, account: Account::default() }
    }
}

impl RecordReader for SleepReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Self { table, zone, account } = self;
        table.read_row(items, |row, line, items| match sleep_row::read(row, *zone) {
            Ok(night) => account.add_night(line, night),
            Err(reason) => {
                items.reject(&format!("line {line}"), reason);
                Ok(())
            }
        })
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::Withings, &mut self.account, Account::default);
    }

    fn bytes_read(&self) -> u64 {
        self.table.bytes_read()
    }
}

/// A row of states with its line, and a digest by which its repetition is known.
#[derive(Debug)]
pub(super) struct StateRow {
    pub(super) line: u64,
    pub(super) digest: u64,
    /// Number of its states.
    pub(super) states: usize,
}

/// Reads a table of states.
pub(super) struct StateReader {
    table: TableReader<StateTable>,
    zone: TimeZone,
    account: Account,
    /// Rows of the file until its end, because a late value may show that it has none of sleep.
    rows: Vec<StateRow>,
    /// States of these rows.
    states: Vec<State>,
    rejected: Items,
}

impl StateReader {
    pub(super) fn new(table: TableReader<StateTable>, zone: TimeZone) -> Self {
        let (account, rejected) = (Account::default(), Items::default());
        Self { table, zone, account, rows: Vec::new(), states: Vec::new(), rejected }
    }

    /// Ends the file: its rows are states of sleep.
    fn finish(&mut self, items: &mut Items) -> Result<(), ImportRefusal> {
        items.append(std::mem::take(&mut self.rejected));
        let (rows, states) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.states));
        if !rows.is_empty() && states.iter().all(|state| state.stage() == Stage::Awake) {
            let reason = "none of its values is a state of sleep; import sleep.csv, or the whole zip";
            return Err(ImportRefusal::HoldsNoSleep(reason.to_owned()));
        }
        self.account.add_states(&rows, states)
    }
}

impl RecordReader for StateReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Self { table, zone, rows, states, rejected, .. } = self;
        let is_more = table.read_row(rejected, |row, line, rejected| {
            match state_row::read(row, *zone) {
                Ok(found) => {
                    if states.len().saturating_add(found.len()) > SEGMENT_LIMIT || rows.len() >= SEGMENT_LIMIT
                    {
                        return Err(too_many("stretches of sleep", SEGMENT_LIMIT));
                    }
                    let mut digest = DefaultHasher::new();
                    row.values.hash(&mut digest);
                    rows.push(StateRow { line, digest: digest.finish(), states: found.len() });
                    let place = Place::new(0, line);
                    states.extend(found.iter().map(|run| State::new(run, place)));
                }
                Err(InvalidStates::Row(reason)) => {
                    rejected.reject(&format!("line {line}"), reason);
                }
                Err(InvalidStates::OtherMeasure) => {
                    let advice = super::RAW_ADVICE.to_owned();
                    return Err(ImportRefusal::HoldsNoSleep(advice));
                }
            }
            Ok(())
        })?;
        if self.rejected.count() > WAITING_LIMIT {
            items.append(std::mem::take(&mut self.rejected));
        }
        if !is_more {
            self.finish(items)?;
        }
        Ok(is_more)
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::Withings, &mut self.account, Account::default);
    }

    fn bytes_read(&self) -> u64 {
        self.table.bytes_read()
    }
}
