//! Reader of the tables, which collects the rows of all files.

use super::nights::Nights;
use super::row::{Table, read_night, read_stage};
use crate::collections::Collections;
use crate::formats::Format;
use crate::input::{Bytes, TableReader};
use crate::source::{Invalid, Items, RecordReader};
use crate::tally::Tally;
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;

const UNKNOWN_STAGE_NOTE: &str = "stages with an unknown code were stored as UNKNOWN";

/// What the rows of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sessions, or parts of combined nights.
    Sleep,
    /// Nights that consist of several rows of the table of sleep.
    Combined,
    /// Stages.
    Stages,
}

impl Kind {
    /// Returns the kind of the table with this name, which begins with `com.samsung.shealth` or
    /// `com.samsung.health`.
    pub(super) fn of_table(name: &str) -> Option<Self> {
        let name = name.strip_prefix("com.samsung.")?;
        match name.strip_prefix("shealth.").or_else(|| name.strip_prefix("health."))? {
            "sleep" => Some(Self::Sleep),
            "sleep_combined" => Some(Self::Combined),
            "sleep_stage" => Some(Self::Stages),
            _ => None,
        }
    }
}

/// Reads a table.
pub(super) struct Reader {
    kind: Kind,
    table: TableReader<Table>,
    zone: TimeZone,
    nights: Nights,
    unknown: Tally,
}

impl Reader {
    pub(super) fn new(kind: Kind, bytes: Bytes, zone: TimeZone) -> Result<Self, ImportRefusal> {
        let (table, nights) = (TableReader::new(bytes, zone)?, Nights::default());
        Ok(Self { kind, table, zone, nights, unknown: Tally::default() })
    }
}

impl RecordReader for Reader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Self { kind, table, zone, nights, unknown } = self;
        let is_read = table.read_row(items, |row, line, items| {
            let place = format!("line {line}");
            let added = match kind {
                Kind::Sleep => read_night(row, line, *zone)
                    .map_err(Invalid::from)
                    .and_then(|night| nights.add_segment(night)),
                Kind::Combined => read_night(row, line, *zone)
                    .map_err(Invalid::from)
                    .and_then(|night| nights.add_combined(night)),
                Kind::Stages => {
                    read_stage(row, *zone).map_err(Invalid::from).and_then(|(id, stage, is_unknown)| {
                        nights.add_stage(id, line, stage)?;
                        if is_unknown {
                            unknown.add(UNKNOWN_STAGE_NOTE, 0, &place);
                        }
                        Ok(())
                    })
                }
            };
            added.or_else(|invalid| items.reject_invalid(&place, invalid))
        })?;
        Ok(is_read || self.unknown.emit(items).is_some())
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::SamsungHealth, &mut self.nights, Nights::default);
    }

    fn bytes_read(&self) -> u64 {
        self.table.bytes_read()
    }
}
