//! Generated files of each format, for tests of readers and of whole imports.
//!
//! Compiled behind the feature `test-support` only.

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
    /// Its content, or the SQL that creates it if it is a database.
    pub text: String,
    /// Number of its records.
    pub count: usize,
}

impl GeneratedFile {
    /// Returns its content.
    pub fn bytes(&self) -> Vec<u8> {
        content(&self.text)
    }
}

/// Returns the content of a file that is described by this text: the text itself, or the database that it
/// creates.
pub fn content(text: &str) -> Vec<u8> {
    if text.starts_with("CREATE TABLE") { database(text) } else { text.as_bytes().to_vec() }
}

/// Returns the database that these statements create.
///
/// # Panics
///
/// If a statement fails.
#[expect(clippy::expect_used, reason = "the statements are those of a fixture")]
pub fn database(sql: &str) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let connection = rusqlite::Connection::open(file.path()).expect("a database");
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {sql}"
        ))
        .expect("statements");
    drop(connection);
    std::fs::read(file.path()).expect("its content")
}

/// Fixtures of a format, all made up.
#[derive(Debug)]
pub struct Fixtures {
    /// Whole files of one accepted record, one of each kind.
    pub examples: &'static [&'static str],
    /// How files of the format are written, one of each kind.
    pub layouts: &'static [Layout],
    /// Files of a realistic export, with stages if the format has them; empty: one of the first layout.
    pub export: &'static [ExportFile],
}

/// A file of an export of many nights.
#[derive(Debug)]
pub struct ExportFile {
    /// Name of the file.
    pub name: &'static str,
    /// Text before the first night.
    pub before: &'static str,
    /// Writes a night from its number and its start; it lasts for 8 hours.
    pub night: fn(usize, DateTime<Utc>) -> String,
    /// Text between two nights.
    pub between: &'static str,
    /// Text after the last night.
    pub after: &'static str,
}

impl Fixtures {
    /// Writes an export with one night a day, the last in January 2026, as imports reject the future; returns
    /// the name and content of each file.
    pub fn export(&self, nights: usize) -> Vec<(&'static str, Vec<u8>)> {
        let first = -1440 * i64::try_from(nights).unwrap_or_default();
        let starts = (0..nights).zip((first..).step_by(1440));
        if let ([], Some(layout)) = (self.export, self.layouts.first()) {
            let night = |(_, start)| GeneratedRecord { start, length: 480, form: RecordForm::Plain };
            let records: Vec<_> = starts.map(night).collect();
            return vec![("export", layout.file(0, &records).bytes())];
        }
        let files = self.export.iter().map(|file| {
            let nights = starts.clone().map(|(number, start)| (file.night)(number, at(start)));
            let nights = nights.collect::<Vec<_>>().join(file.between);
            (file.name, content(&format!("{}{nights}{}", file.before, file.after)))
        });
        files.collect()
    }
}

/// Returns the value with this number, modulo 4.
pub(crate) const fn one_of<T: Copy>([first, second, third, fourth]: [T; 4], number: usize) -> T {
    match number % 4 {
        0 => first,
        1 => second,
        2 => third,
        _ => fourth,
    }
}

/// Returns 20 stages of a night that starts at this time: the number of each, its start and its end.
pub(crate) fn night_stages(
    start: DateTime<Utc>,
) -> impl Iterator<Item = (usize, DateTime<Utc>, DateTime<Utc>)> {
    (0..20).map(move |number| {
        let minutes = |number: usize| TimeDelta::minutes(i64::try_from(number * 24).unwrap_or_default());
        (number, start + minutes(number), start + minutes(number + 1))
    })
}

/// What a record of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// A session, a label or an intake.
    Whole,
    /// A sample, several of which form a session.
    Sample,
}

/// Returns the layouts of every format with records of this kind.
pub fn layouts(kind: RecordKind) -> Vec<(Format, &'static Layout)> {
    let of_format = |format: Format| format.fixtures().layouts.iter().map(move |layout| (format, layout));
    Format::ALL.into_iter().flat_map(of_format).filter(|(_, layout)| layout.records == kind).collect()
}

/// Writes one record from its number, its start and its end.
pub type Writer = fn(usize, DateTime<Utc>, DateTime<Utc>) -> String;

/// How a file of a format is written.
#[derive(Debug)]
pub struct Layout {
    /// What its records are.
    pub records: RecordKind,
    /// Text before the first record.
    pub before: &'static str,
    /// Writes a record.
    pub record: Writer,
    /// A record that is rejected.
    pub unreadable: &'static str,
    /// An empty row, in a format with rows.
    pub blank: Option<&'static str>,
    /// Text between two records.
    pub between: &'static str,
    /// Text after the last record.
    pub after: &'static str,
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

pub(crate) fn iso(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(crate) fn local(at: DateTime<Utc>, form: &str) -> String {
    at.format(form).to_string()
}

pub(crate) fn time_frame(start: DateTime<Utc>, end: DateTime<Utc>) -> String {
    let (start, end) = (iso(start), iso(end));
    format!(
        r#""effective_time_frame":{{"time_interval":{{"start_date_time":"{start}","end_date_time":"{end}"}}}}"#
    )
}

/// Id of the supplement of each intake.
pub const SUPPLEMENT: &str = "1a2b3c4d-0000-4000-8000-000000000001";

/// Returns a number of servings; 0, which is invalid, for an invalid length.
pub(crate) fn servings(number: usize, start: DateTime<Utc>, end: DateTime<Utc>) -> usize {
    if start < end { 1 + number % 2 } else { 0 }
}
