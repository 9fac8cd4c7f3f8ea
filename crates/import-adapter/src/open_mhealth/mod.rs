//! Open mHealth and IEEE 1752.1: sleep episodes, stage summaries, times in bed, sleep durations and
//! `HealthKit` samples; data points, or bodies alone.
//!
//! The rules are in `docs/import/open-mhealth.md`.

mod member;
mod night;
mod recognition;
mod sample;
mod stage;

pub(crate) use recognition::recognise;

use crate::json::{Document, decode};
use crate::segments::Segments;
use crate::source::{Invalid, Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::sleep::SleepSource;
use member::{Body, Header, OnlyBody, OnlyHeader};
use night::Nights;

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

/// Reads a document of data points or bodies. Sessions follow at the end, because several records form one.
pub(crate) struct OpenMhealth {
    document: Document,
    collected: Collected,
    is_read: bool,
}

/// Records collected so far.
struct Collected {
    segments: Segments,
    nights: Nights,
    /// First person named in a header.
    person: Option<String>,
    passed_over: SkippedSubjects,
}

/// Records about other subjects.
#[derive(Debug, Default)]
struct SkippedSubjects {
    first: Option<String>,
    count: usize,
}

impl OpenMhealth {
    pub(crate) fn new(document: Document) -> Self {
        let collected = Collected {
            segments: Segments::new("record"),
            nights: Nights::default(),
            person: None,
            passed_over: SkippedSubjects::default(),
        };
        Self { document, collected, is_read: false }
    }
}

impl Collected {
    /// Adds a record.
    fn take(&mut self, text: &str, number: u64) -> Result<(), Invalid> {
        let (header, body) = members(text)?;
        let Some(body) = body else {
            self.passed_over.add(number);
            return Ok(());
        };
        self.check_person(&header)?;
        let source = source(&header)?;
        if body.category_type.is_absent() && body.category_value.is_absent() {
            return self.nights.add(source, &header, &body, number);
        }
        if !sample::is_sleep(&body) {
            self.passed_over.add(number);
            return Ok(());
        }
        self.segments.add(&source, &sample::read(&body, number)?)
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

    fn next_session(&mut self, items: &mut Items) -> bool {
        self.passed_over.report(items);
        self.segments.next_session(items) || self.nights.next_session(items)
    }
}

/// Parses the header, which may be missing, and the body unless its schema is about something else.
fn members(text: &str) -> Result<(Header, Option<Body>), String> {
    if !text.starts_with('{') {
        return Err("not an object".to_owned());
    }
    let OnlyHeader { header } = decode(text)?;
    let Some(header) = header else { return Ok((Header::default(), Some(decode(text)?))) };
    if header.schema_id.name.as_str().is_some_and(|name| !SCHEMAS.contains(&name)) {
        return Ok((header, None));
    }
    let OnlyBody { body } = decode(text)?;
    let body = body.ok_or("body is missing")?;
    Ok((header, Some(body)))
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
        if self.is_read {
            return Ok(self.collected.next_session(items));
        }
        let Some(record) = self.document.next_record()? else {
            self.is_read = true;
            return Ok(true);
        };
        let taken = self.collected.take(record.text, record.number);
        taken.or_else(|invalid| items.reject_invalid(&record.place(), invalid))?;
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

#[cfg(test)]
mod tests;
