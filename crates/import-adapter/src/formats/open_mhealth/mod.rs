//! Open mHealth and IEEE 1752.1: sleep episodes, stage summaries, times in bed, sleep durations and
//! `HealthKit` samples; data points, or bodies alone.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod member;
mod night;
mod recognition;
mod sample;
mod stage;

use crate::collections::{Collection, Collections};
use crate::formats::{Format, FormatInfo};
use crate::json::{Document, decode};
use crate::segments::Segments;
use crate::source::{Invalid, Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::import::RecordPosition;
use domain::sleep::SleepSource;
use member::{Body, Header, OnlyBody, OnlyHeader};
use night::Nights;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "open-mhealth",
    file: "an Open mHealth file",
    maker: "Open mHealth, IEEE 1752.1",
    steps: &["Upload sleep episodes or sleep durations as JSON files."],
    files: "episodes, stage summaries, times in bed, durations, category samples",
    result: "nights with totals, or with stages",
    recognise: recognition::recognise,
    tables: &[],
    others: &[],
};

/// Schemas with sleep times.
const SCHEMAS: [&str; 6] = [
    "sleep-episode",
    "sleep-stage-summary",
    "time-in-bed",
    "sleep-duration",
    "total-sleep-time",
    SAMPLE_SCHEMA,
];
const SAMPLE_SCHEMA: &str = "hk-category-sample";

/// Reads a document of data points or bodies. Sessions follow after the last file, because several records
/// form one.
pub(crate) struct OpenMhealth {
    document: Document,
    collected: Collected,
    passed_over: SkippedSubjects,
}

/// Records of one person, collected so far.
#[derive(Debug)]
pub(crate) struct Collected {
    segments: Segments,
    nights: Nights,
    /// First person named in a header.
    person: Option<String>,
    /// Number of the file that is being read.
    file: u32,
}

impl Default for Collected {
    fn default() -> Self {
        Self { segments: Segments::new("record"), nights: Nights::default(), person: None, file: 0 }
    }
}

/// Records about other subjects.
#[derive(Debug, Default)]
struct SkippedSubjects {
    first: Option<String>,
    count: usize,
}

impl OpenMhealth {
    pub(crate) fn new(document: Document) -> Self {
        Self { document, collected: Collected::default(), passed_over: SkippedSubjects::default() }
    }
}

impl Collection for Collected {
    fn begin_file(&mut self, file: u32) {
        self.file = file;
        self.segments.begin_file(file);
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        self.segments.next_session(items).or_else(|| self.nights.next_session(items))
    }
}

impl Collected {
    /// Adds a record; returns whether it is about sleep.
    fn take(&mut self, text: &str, number: u64) -> Result<bool, Invalid> {
        let (header, body) = members(text)?;
        let Some(body) = body else { return Ok(false) };
        self.check_person(&header)?;
        let source = source(&header)?;
        if body.category_type.is_absent() && body.category_value.is_absent() {
            let at = RecordPosition { file: self.file, number };
            self.nights.add(source, &header, &body, at)?;
            return Ok(true);
        }
        if !sample::is_sleep(&body) {
            return Ok(false);
        }
        self.segments.add(&source, &sample::read(&body, number)?)?;
        Ok(true)
    }

    /// Checks that all records are about the same person, because they could not be separated later.
    fn check_person(&mut self, header: &Header) -> Result<(), String> {
        let Some(named) = header.user_id.identifier() else { return Ok(()) };
        match &self.person {
            Some(person) if *person != named => {
                Err("user_id differs from that of earlier records".to_owned())
            }
            Some(_) => Ok(()),
            None => {
                self.person = Some(named);
                Ok(())
            }
        }
    }
}

/// Parses the header, which may be missing, and the body unless its schema is about something else.
fn members(text: &str) -> Result<(Header, Option<Body>), String> {
    if !text.starts_with('{') {
        return Err("not an object".to_owned());
    }
    let OnlyHeader { header, has_body } = decode(text)?;
    let Some(header) = header else {
        if has_body {
            return Err("header is missing".to_owned());
        }
        return Ok((Header::default(), Some(sample::with_type(decode(text)?)?)));
    };
    if header.schema_id.name.as_str().is_some_and(|name| !SCHEMAS.contains(&name)) {
        return Ok((header, None));
    }
    let OnlyBody { body } = decode(text)?;
    let body = body.ok_or("body is missing")?;
    if header.schema_id.name.as_str() == Some(SAMPLE_SCHEMA) && body.category_type.is_absent() {
        return Err("category_type is missing".to_owned());
    }
    Ok((header, Some(sample::with_type(body)?)))
}

/// Returns the app or device named by a record, otherwise the format.
fn source(header: &Header) -> Result<SleepSource, String> {
    let name =
        header.acquisition_provenance.source_name.as_str().map(str::trim).filter(|name| !name.is_empty());
    SleepSource::parse(name.unwrap_or("open mhealth")).map_err(|error| format!("source_name: {error}"))
}

impl SkippedSubjects {
    fn add(&mut self, number: u64) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert_with(|| format!("record {number}"));
    }

    fn report(&mut self, items: &mut Items) {
        if let Some(place) = self.first.take() {
            items.note_count(&place, "records that are not about sleep were skipped", self.count);
        }
    }
}

impl RecordReader for OpenMhealth {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else {
            self.passed_over.report(items);
            return Ok(false);
        };
        match self.collected.take(record.text, record.number) {
            Ok(true) => {}
            Ok(false) => self.passed_over.add(record.number),
            Err(invalid) => items.reject_invalid(&record.place(), invalid)?,
        }
        Ok(true)
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::OpenMhealth, &mut self.collected, Collected::default);
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

#[cfg(test)]
mod tests;
