//! FHIR R4: Observations of sleep, alone, in lists, in Bundles, or one on each line.
//!
//! The rules are in `docs/import/fhir.md`.

mod code;
mod collected;
mod device;
mod observation;
mod recognition;
mod resource;
mod stream;
mod subject;
mod total;

pub(crate) use recognition::recognise;

use crate::json::{Document, decode};
use crate::source::{Invalid, Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use collected::Collected;
use resource::{Entry, Kind, Observation};
use stream::Stream;

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

/// Reads resources. Sessions follow at the end, because several Observations form one.
pub(crate) struct Fhir {
    resources: Resources,
    collected: Collected,
    is_read: bool,
}

impl Fhir {
    pub(crate) fn new(resources: Resources) -> Self {
        Self { resources, collected: Collected::default(), is_read: false }
    }
}

impl RecordReader for Fhir {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        if self.is_read {
            return Ok(self.collected.next_session(items));
        }
        let is_bundle = matches!(self.resources, Resources::Bundle(_));
        let record = match &mut self.resources {
            Resources::List(document) | Resources::Bundle(document) => document.next_record()?,
            Resources::Stream(stream) => stream.next_record()?,
        };
        let Some(record) = record else {
            self.is_read = true;
            return Ok(true);
        };
        let outcome = match observation(record.text, is_bundle) {
            Ok(Some(observation)) => self.collected.add(&observation, record.number),
            Ok(None) => {
                self.collected.count_skipped(record.number);
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
