//! Generated files of each format, for tests of readers and of whole imports.
//!
//! Compiled behind the feature `test-support` only.

mod sample;
mod session;

pub use sample::SAMPLES;
pub use session::{SESSIONS, SUPPLEMENT};

use crate::Format;
use chrono::{DateTime, TimeDelta, Utc};

/// What a record of a generated file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordForm {
    /// Once in the file.
    Plain,
    /// Twice in the file.
    Repeated,
    /// With the id of the record before, in a format with ids.
    SharedId,
    /// Without a valid value.
    Unreadable,
    /// No record: an empty row, in a format with rows.
    Blank,
}

/// A record of a generated file.
#[derive(Debug, Clone, Copy)]
pub struct GeneratedRecord {
    /// Start, in minutes from a fixed instant.
    pub start: i64,
    /// Length in minutes; invalid below 1.
    pub length: i64,
    /// What it is.
    pub form: RecordForm,
}

impl GeneratedRecord {
    /// Returns whether a reader accepts it.
    pub const fn is_valid(self) -> bool {
        self.length > 0 && !matches!(self.form, RecordForm::Unreadable | RecordForm::Blank)
    }
}

/// A generated file.
#[derive(Debug)]
pub struct GeneratedFile {
    /// Its content.
    pub text: String,
    /// Number of its records.
    pub count: usize,
}

/// Writes one record from its number, its start and its end.
type Writer = fn(usize, DateTime<Utc>, DateTime<Utc>) -> String;

/// How a file of a format is written.
pub struct Layout {
    /// The format.
    pub format: Format,
    before: &'static str,
    record: Writer,
    unreadable: &'static str,
    /// An empty row, in a format with rows.
    blank: Option<&'static str>,
    between: &'static str,
    after: &'static str,
}

impl Layout {
    /// Writes a file, whose ids begin with this number.
    pub fn file(&self, first_id: usize, records: &[GeneratedRecord]) -> GeneratedFile {
        let (mut written, mut count, mut id) = (Vec::new(), 0, first_id);
        for GeneratedRecord { start, length, form } in records {
            if *form == RecordForm::Blank {
                written.extend(self.blank.map(str::to_owned));
                continue;
            }
            if *form != RecordForm::SharedId {
                id += 1;
            }
            let record = match form {
                RecordForm::Unreadable => self.unreadable.to_owned(),
                _ => (self.record)(id, at(*start), at(start + length)),
            };
            let times = 1 + usize::from(*form == RecordForm::Repeated);
            count += times;
            written.extend(std::iter::repeat_n(record, times));
        }
        let text = format!("{}{}{}", self.before, written.join(self.between), self.after);
        GeneratedFile { text, count }
    }
}

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_768_086_000, 0).unwrap_or_default() + TimeDelta::minutes(minute)
}

fn iso(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn local(at: DateTime<Utc>, form: &str) -> String {
    at.format(form).to_string()
}

fn time_frame(start: DateTime<Utc>, end: DateTime<Utc>) -> String {
    let (start, end) = (iso(start), iso(end));
    format!(
        r#""effective_time_frame":{{"time_interval":{{"start_date_time":"{start}","end_date_time":"{end}"}}}}"#
    )
}
