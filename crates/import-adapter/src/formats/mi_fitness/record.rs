//! The table of records: one row for each recording, with its stages.

use super::members::{Completion, Recording, value};
use super::recording::{self, RowContext};
use super::{clock, is_header_of_records};
use crate::input::{Bytes, Fields, TableFormat, TableReader};
use crate::json::LooseScalar;
use crate::segments::{SEGMENT_LIMIT, SESSION_LIMIT, too_many};
use crate::source::{Items, Notes, RecordReader};
use crate::tally::Tally;
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Detail, SleepRecord};
use domain::time::TimeZone;
use std::collections::BTreeMap;

const SLEEP: &str = "sleep";
/// Keys of the older app.
const OLD_NIGHT: &str = "watch_night_sleep";
const OLD_NAP: &str = "watch_daytime_sleep";

/// Longest difference between the starts of rows of one recording.
const SAME_START: TimeDelta = TimeDelta::minutes(2);
const SUPERSEDED_NOTE: &str =
    "recordings that the band had not completed were omitted, as other rows have them";

/// The table of records.
pub(super) struct Records;

impl TableFormat for Records {
    const COLUMNS: &'static [&'static str] = &["Key", "Time", "Value"];

    fn is_header(columns: &[String]) -> bool {
        is_header_of_records(columns)
    }

    /// Returns whether a row is about something else than sleep, such as steps.
    fn is_skipped(fields: &Fields<'_>) -> bool {
        let is_sleep =
            |key: &str| [SLEEP, OLD_NIGHT, OLD_NAP].iter().any(|name| name.eq_ignore_ascii_case(key));
        fields.get("Key").is_some_and(|key| !is_sleep(key))
    }
}

/// A recording that the band had not completed.
struct Incomplete {
    place: String,
    record: SleepRecord,
    notes: Notes,
}

/// Reads the table. Recordings that the band had not completed wait for the end of the file, because it
/// writes them again after each awakening.
pub(super) struct Reader {
    table: TableReader<Records>,
    zone: TimeZone,
    /// Starts of the emitted recordings, each with the greatest detail.
    emitted: BTreeMap<DateTime<Utc>, Detail>,
    /// By length in milliseconds and line.
    incomplete: BTreeMap<(i64, u64), Incomplete>,
    /// Number of the stages that wait.
    stages: usize,
    tally: Tally,
}

impl Reader {
    pub(super) fn new(bytes: Bytes, zone: TimeZone) -> Result<Self, ImportRefusal> {
        let table = TableReader::new(bytes, zone)?;
        Ok(Self {
            table,
            zone,
            emitted: BTreeMap::new(),
            incomplete: BTreeMap::new(),
            stages: 0,
            tally: Tally::default(),
        })
    }

    /// Emits the longest recording that was never completed; `false` if there is none left.
    fn next_incomplete(&mut self, items: &mut Items) -> bool {
        let Some((_, Incomplete { place, record, notes })) = self.incomplete.pop_last() else {
            return self.tally.emit(items).is_some();
        };
        let start = record.time_in_bed().start();
        let around = start.checked_sub_signed(SAME_START).zip(start.checked_add_signed(SAME_START));
        let is_superseded = around.is_some_and(|(earliest, latest)| {
            self.emitted.range(earliest..=latest).any(|(_, detail)| *detail >= record.detail())
        });
        if is_superseded {
            self.tally.add(SUPERSEDED_NOTE, 0, &place);
        } else {
            self.emitted.insert(start, record.detail());
            items.finish_session(&place, notes, Ok(record));
        }
        true
    }
}

impl RecordReader for Reader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Self { table, zone, emitted, incomplete, stages, .. } = self;
        let is_read = table.read_row(items, |row, line, items| {
            let (mut notes, place) = (Notes::default(), format!("line {line}"));
            if emitted.len().saturating_add(incomplete.len()) >= SESSION_LIMIT {
                return Err(too_many("sessions", SESSION_LIMIT));
            }
            match read(row, *zone, &mut notes) {
                Ok((record, Completion::Incomplete)) => {
                    *stages = stages.saturating_add(record.hypnogram().len());
                    if *stages > SEGMENT_LIMIT {
                        return Err(too_many("stages", SEGMENT_LIMIT));
                    }
                    let key = (record.time_in_bed().millis(), line);
                    incomplete.insert(key, Incomplete { place, record, notes });
                }
                Ok((record, Completion::Complete)) => {
                    let known = emitted.entry(record.time_in_bed().start()).or_insert(record.detail());
                    *known = record.detail().max(*known);
                    items.finish_session(&place, notes, Ok(record));
                }
                Err(reason) => items.reject(&place, reason),
            }
            Ok(())
        })?;
        Ok(is_read || self.next_incomplete(items))
    }

    fn bytes_read(&self) -> u64 {
        self.table.bytes_read()
    }
}

/// Converts a row, or returns why it is invalid.
fn read(row: &Fields<'_>, zone: TimeZone, notes: &mut Notes) -> Result<(SleepRecord, Completion), String> {
    let recording = value::<Recording>(row)?;
    let key = row.get("Key").map(str::to_ascii_lowercase).ok_or("Key is missing")?;
    let is_nap = match key.as_str() {
        OLD_NIGHT => Some(false),
        OLD_NAP => Some(true),
        _ => None,
    };
    let time = row.get("Time").map_or(LooseScalar::Absent, |time| LooseScalar::Text(time.to_owned()));
    let context = RowContext { end: clock::instant(&time), is_nap, is_old: key != SLEEP };
    Ok((recording::read(&recording, context, zone, notes)?, recording.completion()))
}
