//! FHIR R4: Observations of sleep, alone, in lists, in Bundles, or one on each line.
//!
//! The rules are in `README.md` next to this file.

mod code;
mod collected;
mod device;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod observation;
mod recognition;
mod resource;
mod stream;
mod subject;
mod total;

use crate::collections::Collections;
use crate::formats::{Format, FormatInfo};
use crate::json::{Document, decode};
use crate::source::{Invalid, Items, RecordReader};
use application::ports::import_source::ImportRefusal;
pub(crate) use collected::Collected;
use resource::{Entry, Kind, Observation};
use stream::Stream;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "fhir",
    file: "a FHIR file",
    maker: "FHIR R4",
    steps: &["Upload Observations of sleep (R4) as JSON files, alone or in Bundles."],
    files: "sleep Observations: one, a Bundle, a bulk export",
    result: "nights with totals, or with stages",
    recognise: recognition::recognise,
    tables: &[],
    others: &[],
};

/// Where the resources of a file are.
pub(crate) enum Resources {
    /// Elements of a list.
    List(Document),
    /// Entries of a Bundle, each wrapping a resource.
    Bundle(Document),
    /// In sequence.
    Stream(Stream),
}

impl Resources {
    const fn bytes_read(&self) -> u64 {
        match self {
            Self::List(document) | Self::Bundle(document) => document.bytes_read(),
            Self::Stream(stream) => stream.bytes_read(),
        }
    }
}

/// Reads resources. Sessions follow after the last file, because several Observations form one.
pub(crate) struct Fhir {
    resources: Resources,
    collected: Collected,
    /// The first resource that is not an Observation of sleep, and their number.
    first_skipped: Option<u64>,
    skipped: usize,
}

impl Fhir {
    pub(crate) fn new(resources: Resources) -> Self {
        Self { resources, collected: Collected::default(), first_skipped: None, skipped: 0 }
    }

    fn note_skipped(&self, items: &mut Items) {
        if let Some(number) = self.first_skipped {
            let note = "resources that are not sleep Observations were skipped";
            items.note_count(&format!("record {number}"), note, self.skipped);
        }
    }
}

impl RecordReader for Fhir {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let is_bundle = matches!(self.resources, Resources::Bundle(_));
        let record = match &mut self.resources {
            Resources::List(document) | Resources::Bundle(document) => document.next_record()?,
            Resources::Stream(stream) => stream.next_record()?,
        };
        let Some(record) = record else {
            self.note_skipped(items);
            return Ok(false);
        };
        let outcome = match observation(record.text, is_bundle) {
            Ok(Some(observation)) => self.collected.add(&observation, record.number),
            Ok(None) => {
                self.first_skipped.get_or_insert(record.number);
                self.skipped = self.skipped.saturating_add(1);
                return Ok(true);
            }
            Err(reason) => Err(Invalid::Record(reason)),
        };
        match outcome {
            Ok(notes) => items.add_notes(&record.place(), notes),
            Err(invalid) => items.reject_invalid(&record.place(), invalid)?,
        }
        Ok(true)
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::Fhir, &mut self.collected, Collected::default);
    }

    fn bytes_read(&self) -> u64 {
        self.resources.bytes_read()
    }
}

/// Parses an Observation of sleep; `None` for any other resource.
fn observation(text: &str, is_bundle: bool) -> Result<Option<Observation>, String> {
    if !text.starts_with('{') {
        return Err("not an object".to_owned());
    }
    let kind: Option<Kind> =
        if is_bundle { decode::<Entry<Kind>>(text)?.resource } else { Some(decode(text)?) };
    if kind.is_none_or(|kind| kind.resource_type.as_str() != Some("Observation")) {
        return Ok(None);
    }
    let read: Option<Observation> =
        if is_bundle { decode::<Entry<Observation>>(text)?.resource } else { Some(decode(text)?) };
    Ok(read.filter(|observation| code::meaning(&observation.code).is_some()))
}

#[cfg(test)]
mod tests;
