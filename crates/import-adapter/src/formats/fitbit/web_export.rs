//! The CSV of Fitbit's web export: a title line, a header line, and one line per night.

use super::clock::{Anchor, End};
use super::{SOURCE, web_clock};
use crate::input::{
    Cursor, Fields, LineEnd, Position, csv_fields, damaged, has_columns, more_than_once, repeated_column,
};
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::session;
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;
use std::time::Duration;

const TITLE: &str = "Sleep";
const WRONG_NUMBER_OF_FIELDS: &str = "the number of fields differs from the header";
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
    /// A line of one field; the next line decides whether it is a title.
    title: Option<Title>,
    line: Vec<u8>,
}

/// Current section; an export has one per selected kind of data.
enum Section {
    /// Before a header.
    Beginning,
    Nights(Vec<String>),
    /// In another section.
    Other,
}

/// The title of a section if column names follow, else a stray line.
struct Title {
    start: Position,
    is_sleep: bool,
}

impl WebExport {
    pub(crate) fn new(cursor: Cursor, zone: TimeZone) -> Self {
        Self { cursor: cursor.of_table(), zone, section: Section::Beginning, title: None, line: Vec::new() }
    }

    fn read_line(&mut self, start: Position, end: LineEnd, items: &mut Items) -> Result<(), ImportRefusal> {
        let text = std::str::from_utf8(&self.line).map_err(|_| damaged(start, "not valid UTF-8"))?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let Some(fields) = csv_fields(text) else {
            return Err(damaged(start, "a quoted field is not closed"));
        };
        if let Some(title) = self.title.take() {
            if are_names(&fields) {
                return self.begin_section(&title, start, fields, items);
            }
            self.pass_over(&title, items)?;
        }
        // A line truncated by the end of the file has too few fields.
        let is_cut = end == LineEnd::EndOfFile && matches!(self.section, Section::Nights(_));
        match fields.as_slice() {
            [only] if !is_cut => {
                self.title = Some(Title { start, is_sleep: only.eq_ignore_ascii_case(TITLE) });
                Ok(())
            }
            _ => self.read_row(fields, start, is_cut, items),
        }
    }

    fn read_row(
        &mut self,
        fields: Vec<String>,
        start: Position,
        is_cut: bool,
        items: &mut Items,
    ) -> Result<(), ImportRefusal> {
        let place = place(start);
        match &self.section {
            Section::Beginning | Section::Nights(_) if is_header(&fields) => {
                self.section = header(fields, start, items)?;
            }
            Section::Nights(columns) if fields.len() == columns.len() => {
                let mut notes = Notes::default();
                let outcome = Night(Fields { columns, values: &fields }).record(self.zone, &mut notes);
                items.finish_session(&place, notes, outcome);
            }
            Section::Nights(_) if is_cut => return Err(self.cursor.ends_too_early()),
            Section::Nights(_) => items.reject(&place, WRONG_NUMBER_OF_FIELDS),
            Section::Beginning => {
                return Err(damaged(start, "expected the title line or the header line"));
            }
            Section::Other => {}
        }
        Ok(())
    }

    /// Begins the section of a title that these column names follow.
    fn begin_section(
        &mut self,
        title: &Title,
        start: Position,
        names: Vec<String>,
        items: &mut Items,
    ) -> Result<(), ImportRefusal> {
        if title.is_sleep && !is_header(&names) {
            return Err(damaged(start, "expected the header line of the sleep section"));
        }
        if title.is_sleep {
            self.section = header(names, start, items)?;
        } else {
            if !matches!(self.section, Section::Other) {
                items.note(&place(title.start), "a section that is not about sleep was skipped");
            }
            self.section = Section::Other;
        }
        Ok(())
    }

    /// Passes over a line of one field that is not a title; one among nights is rejected.
    fn pass_over(&self, title: &Title, items: &mut Items) -> Result<(), ImportRefusal> {
        match self.section {
            Section::Beginning => {
                Err(damaged(title.start, "expected the header line of the sleep section after the title"))
            }
            Section::Nights(_) => {
                items.reject(&place(title.start), WRONG_NUMBER_OF_FIELDS);
                Ok(())
            }
            Section::Other => Ok(()),
        }
    }
}

impl RecordReader for WebExport {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let start = self.cursor.place();
        if let Some(end) = self.cursor.read_line(&mut self.line)? {
            return self.read_line(start, end, items).map(|()| true);
        }
        // A title alone is an empty export.
        if let Some(title) = self.title.take().filter(|_| !matches!(self.section, Section::Beginning)) {
            self.pass_over(&title, items)?;
        }
        Ok(false)
    }

    fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }
}

fn place(start: Position) -> String {
    format!("line {}", start.line)
}

/// Returns whether a line has the names of columns rather than values; no night has text alone.
fn are_names(fields: &[String]) -> bool {
    let is_name = |field: &String| field.starts_with(|first: char| !first.is_ascii_digit());
    fields.len() > 1 && fields.iter().all(is_name)
}

fn is_header(fields: &[String]) -> bool {
    has_columns(fields, &NEEDED_COLUMNS)
}

fn header(columns: Vec<String>, start: Position, items: &mut Items) -> Result<Section, ImportRefusal> {
    if let Some(column) = repeated_column(&columns, &KNOWN_COLUMNS) {
        return Err(damaged(start, more_than_once(column)));
    }
    let is_known = |column: &str| KNOWN_COLUMNS.iter().any(|name| name.eq_ignore_ascii_case(column));
    let unknown = columns.iter().filter(|column| !is_known(column)).count();
    if unknown > 0 {
        items.note_count(&place(start), "unknown columns were skipped", unknown);
    }
    Ok(Section::Nights(columns))
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
