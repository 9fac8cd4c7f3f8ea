//! The CSV of Fitbit's web export: a title line, a header line, and one line per night.

use super::clock::{Anchor, End};
use super::{SOURCE, web_clock};
use crate::input::{Cursor, Fields, LineEnd, Position, csv_fields, damaged, has_columns};
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::session;
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;
use std::time::Duration;

const TITLE: &str = "Sleep";
const START: &str = "Start Time";
const END: &str = "End Time";
/// Required columns.
pub(crate) const NEEDED_COLUMNS: [&str; 2] = [START, END];
/// All known columns; "Time in Bed" follows from start and end.
pub(crate) const KNOWN_COLUMNS: [&str; 9] = [
    START,
    END,
    "Minutes Asleep",
    "Minutes Awake",
    "Number of Awakenings",
    "Time in Bed",
    "Minutes REM Sleep",
    "Minutes Light Sleep",
    "Minutes Deep Sleep",
];

/// Returns whether a first line is that of a web export.
pub(crate) fn begins_web_export(line: &str) -> bool {
    let line = line.trim();
    line.eq_ignore_ascii_case(TITLE) || csv_fields(line).is_some_and(|fields| is_header(&fields))
}

/// Reads a web export line by line.
pub(crate) struct WebExport {
    cursor: Cursor,
    zone: TimeZone,
    section: Section,
    line: Vec<u8>,
}

/// Current section; an export has one per selected kind of data.
enum Section {
    /// Before a title or a header.
    Beginning,
    /// After the title, before the header.
    Titled,
    Nights(Vec<String>),
    /// In another section.
    Other,
}

impl WebExport {
    pub(crate) fn new(cursor: Cursor, zone: TimeZone) -> Self {
        Self { cursor: cursor.of_table(), zone, section: Section::Beginning, line: Vec::new() }
    }

    fn read_line(&mut self, start: Position, end: LineEnd, items: &mut Items) -> Result<(), ImportRefusal> {
        let text = std::str::from_utf8(&self.line).map_err(|_| damaged(start, "not valid UTF-8"))?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let Some(fields) = csv_fields(text) else {
            return Err(damaged(start, "a quoted field is not closed"));
        };
        let place = format!("line {}", start.line);
        let title = fields.len() == 1;
        match &self.section {
            Section::Titled | Section::Beginning if is_header(&fields) => {
                self.section = header(fields, &place, items);
            }
            Section::Titled => {
                return Err(damaged(start, "expected the header line of the sleep section"));
            }
            Section::Beginning | Section::Other | Section::Nights(_)
                if title && text.trim().eq_ignore_ascii_case(TITLE) =>
            {
                self.section = Section::Titled;
            }
            Section::Nights(columns) if fields.len() == columns.len() => {
                let mut notes = Notes::default();
                let outcome = Night(Fields { columns, values: &fields }).record(self.zone, &mut notes);
                items.finish_session(&place, notes, outcome);
            }
            // A line truncated by the end of the file has too few fields.
            Section::Nights(_) if end == LineEnd::EndOfFile => {
                return Err(damaged(self.cursor.place(), "the file is truncated"));
            }
            Section::Nights(_) if !title => {
                items.reject(&place, "the number of fields differs from the header");
            }
            Section::Nights(_) | Section::Beginning if title => {
                items.note(&place, "a section that is not about sleep was skipped");
                self.section = Section::Other;
            }
            Section::Beginning | Section::Nights(_) => {
                return Err(damaged(start, "expected the title line or the header line"));
            }
            Section::Other => {}
        }
        Ok(())
    }
}

impl RecordReader for WebExport {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let start = self.cursor.place();
        match self.cursor.read_line(&mut self.line)? {
            Some(end) => self.read_line(start, end, items).map(|()| true),
            None => Ok(false),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }
}

fn is_header(fields: &[String]) -> bool {
    has_columns(fields, &NEEDED_COLUMNS)
}

fn header(columns: Vec<String>, place: &str, items: &mut Items) -> Section {
    let is_known = |column: &str| KNOWN_COLUMNS.iter().any(|name| name.eq_ignore_ascii_case(column));
    let unknown = columns.iter().filter(|column| !is_known(column)).count();
    if unknown > 0 {
        items.note_count(place, "unknown columns were skipped", unknown);
    }
    Section::Nights(columns)
}

/// One night.
struct Night<'a>(Fields<'a>);

impl Night<'_> {
    fn time(&self, name: &str) -> Result<LocalTime, String> {
        let time = self.0.get(name).and_then(web_clock::parse);
        time.map(LocalTime::without_offset).ok_or_else(|| format!("{name} is not a date and time"))
    }

    /// Parses `5,000` as 5000, and `N/A` as `None`.
    fn number(&self, name: &str) -> Result<Option<u32>, String> {
        match self.0.get(name) {
            None => Ok(None),
            Some(text) if text.eq_ignore_ascii_case("N/A") => Ok(None),
            Some(text) => {
                let digits = text.replace(',', "");
                digits.parse().map(Some).map_err(|_| format!("{name} is not a number"))
            }
        }
    }

    fn minutes(&self, name: &str) -> Result<Option<Duration>, String> {
        let minutes = self.number(name)?;
        Ok(minutes.map(|minutes| Duration::from_secs(u64::from(minutes).saturating_mul(60))))
    }

    fn record(&self, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
        let (start, end) = (self.time(START)?, self.time(END)?);
        if start.is_skipped(zone) || end.is_skipped(zone) {
            notes.add_once(SKIPPED_TIME_NOTE);
        }
        let anchor = Anchor::new(zone, start).ok_or("Start Time is out of range")?;
        let End { instant, offset } = anchor.end(end, None).ok_or("End Time is out of range")?;
        let time_in_bed = session::time_in_bed((anchor.start, anchor.offset()), (instant, offset))?;
        let totals = SourceTotals {
            asleep: self.minutes("Minutes Asleep")?,
            awake: self.minutes("Minutes Awake")?,
            light: self.minutes("Minutes Light Sleep")?,
            deep: self.minutes("Minutes Deep Sleep")?,
            rem: self.minutes("Minutes REM Sleep")?,
            wakeups: self.number("Number of Awakenings")?,
            ..SourceTotals::default()
        };
        let metrics = session::metrics(&totals, &time_in_bed, notes);
        let head = SleepRecordHead {
            key: SessionKey::derived_from(anchor.start),
            source: session::source(SOURCE)?,
            time_in_bed,
            is_nap: None,
        };
        session::without_stages(head, metrics)
    }
}
