//! Readers of the tables, which collect the rows of an account.

use super::account::Account;
use super::table::{SessionTable, StageTable, read_session, read_stage};
use crate::collections::Collections;
use crate::input::{Bytes, TableReader};
use crate::source::{Invalid, Items, RecordReader};
use crate::tally::Tally;
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;

const UNKNOWN_STAGE_NOTE: &str = "stages with an unknown sleep_stage_type were stored as UNKNOWN";

/// Reads the table of sessions.
pub(super) struct Sessions {
    table: TableReader<SessionTable>,
    account: Account,
    zone: TimeZone,
}

impl Sessions {
    pub(super) fn new(bytes: Bytes, zone: TimeZone) -> Result<Self, ImportRefusal> {
        let (table, account) = (TableReader::new(bytes, zone)?, Account::new(zone));
        Ok(Self { table, account, zone })
    }
}

impl RecordReader for Sessions {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let (account, zone) = (&mut self.account, self.zone);
        self.table.read_row(items, |row, line, items| {
            let read = read_session(row, line, zone).map_err(Invalid::from);
            let added = read.and_then(|row| account.add_session(row));
            added.or_else(|invalid| items.reject_invalid(&format!("line {line}"), invalid))
        })
    }

    fn exchange(&mut self, collections: &mut Collections) {
        self.account.exchange(collections);
    }

    fn bytes_read(&self) -> u64 {
        self.table.bytes_read()
    }
}

/// Reads the table of stages.
pub(super) struct Stages {
    table: TableReader<StageTable>,
    account: Account,
    zone: TimeZone,
    unknown: Tally,
}

impl Stages {
    pub(super) fn new(bytes: Bytes, zone: TimeZone) -> Result<Self, ImportRefusal> {
        let (table, account) = (TableReader::new(bytes, zone)?, Account::new(zone));
        Ok(Self { table, account, zone, unknown: Tally::default() })
    }
}

impl RecordReader for Stages {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let (account, unknown, zone) = (&mut self.account, &mut self.unknown, self.zone);
        let is_read = self.table.read_row(items, |row, line, items| {
            let place = format!("line {line}");
            let added = read_stage(row, zone).map_err(Invalid::from).and_then(|(id, stage, is_unknown)| {
                account.add_stage(id, line, stage)?;
                if is_unknown {
                    unknown.add(UNKNOWN_STAGE_NOTE, 0, &place);
                }
                Ok(())
            });
            added.or_else(|invalid| items.reject_invalid(&place, invalid))
        })?;
        Ok(is_read || self.unknown.emit(items).is_some())
    }

    fn exchange(&mut self, collections: &mut Collections) {
        self.account.exchange(collections);
    }

    fn bytes_read(&self) -> u64 {
        self.table.bytes_read()
    }
}
