//! Detection of the tables of an account's export.
//!
//! The tables of raw values have the same header, whatever was measured.

use super::reader::{SleepReader, StateReader};
use super::sleep_row::SleepTable;
use super::state_row::{StateTable, StateValues, state_values};
use crate::formats::Format;
use crate::input::{Separator, TableFormat as _, TableReader, split_fields};
use crate::recognised::RecognisedFile;
use crate::seen::Text;

/// Recognises either table by its header, and that of states also by its first values.
pub(in super::super) fn recognise(text: &Text, named: bool) -> Option<RecognisedFile> {
    let header = text.header()?;
    if SleepTable::is_header(&header) {
        return Some(RecognisedFile::new(Format::Withings, |bytes, context| {
            Ok(SleepReader::new(TableReader::new(bytes, context.zone)?, context.zone))
        }));
    }
    let is_states = StateTable::is_header(&header) && holds_states(text, named);
    is_states.then(|| {
        RecognisedFile::new(Format::Withings, |bytes, context| {
            Ok(StateReader::new(TableReader::new(bytes, context.zone)?, context.zone))
        })
    })
}

/// Returns whether a table of raw values may contain states of sleep: by its name if that has Withings' form,
/// else by the first rows.
fn holds_states(text: &Text, named: bool) -> bool {
    let name = text.file_name();
    if name.contains("sleep-state") {
        return true;
    }
    if name.starts_with("raw_") {
        return false;
    }
    let rows = text.lines().iter().skip(1).filter_map(|line| split_fields(line, Separator::Comma));
    let mut is_known = named;
    for row in rows {
        match row.get(2).and_then(|value| state_values(value)) {
            Some(StateValues::States(_)) => is_known = true,
            Some(StateValues::Others) => return false,
            Some(StateValues::Unknown) | None => {}
        }
    }
    is_known
}
