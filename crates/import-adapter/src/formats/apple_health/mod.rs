//! Apple Health: the `export.xml` of its export, alone or in its zip.
//!
//! The rules are in `README.md` next to this file.

mod attributes;
mod bounded;
mod characteristics;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod markup;
mod recognition;
mod sample;

use crate::collections::Collections;
use crate::formats::{Format, FormatInfo};
use crate::input::Bytes;
use crate::segments::{Segment, Segments};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::{ImportItem, ImportRefusal, ImportedProfile};
use domain::time::TimeZone;
use markup::{Markup, Node, Tag};
use sample::Sample;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "apple-health",
    file: "an Apple Health export",
    maker: "Apple Health",
    steps: &[
        "On your iPhone, open the Health app and tap your picture at the top right.",
        "Tap “Export All Health Data” and wait until the file is ready.",
        "Save the ZIP file in Files, then upload it here.",
    ],
    files: "`export.xml`, or the zip of the Health app",
    result: "nights with stages, the profile",
    recognise: recognition::recognise,
    tables: &[],
    others: &[],
};

/// Reads an export: collects its sleep samples, which form sessions after the last file.
pub(crate) struct AppleHealth {
    markup: Markup,
    collector: Collector,
}

impl AppleHealth {
    pub(crate) fn new(bytes: Bytes) -> Self {
        let collector = Collector { open: None, segments: Segments::new("line"), unknown_zones: None };
        Self { markup: Markup::new(bytes), collector }
    }
}

impl RecordReader for AppleHealth {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        match self.markup.next()? {
            Node::Nothing => {}
            Node::Tag(tag) => self.collector.take(&tag, items)?,
            Node::Close(depth) => self.collector.close(depth, items)?,
            Node::End => {
                self.collector.note_unknown_zones(items);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::AppleHealth, &mut self.collector.segments, || Segments::new("line"));
    }

    fn bytes_read(&self) -> u64 {
        self.markup.bytes_read()
    }
}

/// Unknown zones named by samples.
#[derive(Debug, Clone, Copy)]
struct UnknownZones {
    first_line: u64,
    count: u64,
}

/// Collects the content of elements.
struct Collector {
    /// Sample of the open element, whose zone may follow.
    open: Option<Sample>,
    segments: Segments,
    unknown_zones: Option<UnknownZones>,
}

impl Collector {
    fn take(&mut self, tag: &Tag, items: &mut Items) -> Result<(), ImportRefusal> {
        match (tag.depth, tag.name()) {
            (1, "Record") if sample::is_sleep(tag)? => {
                let sample = Sample::read(tag)?;
                if tag.is_empty {
                    self.finish(sample, items)?;
                } else {
                    self.open = Some(sample);
                }
            }
            (1, "Me") => take_person(tag, items)?,
            (2, "MetadataEntry") => {
                if let Some(sample) = &mut self.open {
                    sample.read_zone(tag)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, depth: usize, items: &mut Items) -> Result<(), ImportRefusal> {
        if depth == 1
            && let Some(sample) = self.open.take()
        {
            self.finish(sample, items)?;
        }
        Ok(())
    }

    /// Adds a sample, or returns why it is invalid.
    fn finish(&mut self, sample: Sample, items: &mut Items) -> Result<(), ImportRefusal> {
        let Sample { line, stretch, zone } = sample;
        let place = format!("line {line}");
        let stretch = match stretch {
            Ok(stretch) => stretch,
            Err(reason) => {
                items.reject(&place, reason);
                return Ok(());
            }
        };
        let zone = zone.and_then(|name| self.zone(&name, line));
        let (offset_at_start, offset_at_end) = match zone {
            Some(zone) => (zone.offset_at(stretch.start.instant), zone.offset_at(stretch.end.instant)),
            None => (stretch.start.offset, stretch.end.offset),
        };
        let segment = Segment {
            start: stretch.start.instant,
            end: stretch.end.instant,
            offset_at_start: Some(offset_at_start),
            offset_at_end: Some(offset_at_end),
            stage: stretch.stage,
            at: line,
        };
        let added = self.segments.add(&stretch.source, &segment);
        added.or_else(|invalid| items.reject_invalid(&place, invalid))
    }

    fn zone(&mut self, name: &str, line: u64) -> Option<TimeZone> {
        let zone = TimeZone::parse(name).ok();
        if zone.is_none() {
            let unknown = self.unknown_zones.get_or_insert(UnknownZones { first_line: line, count: 0 });
            unknown.count = unknown.count.saturating_add(1);
        }
        zone
    }

    fn note_unknown_zones(&self, items: &mut Items) {
        if let Some(UnknownZones { first_line, count }) = self.unknown_zones {
            let place = format!("line {first_line}");
            items.note(
                &place,
                format!("HKTimeZone is not a known time zone; the offset of the time was used: {count}"),
            );
        }
    }
}

fn take_person(tag: &Tag, items: &mut Items) -> Result<(), ImportRefusal> {
    let mut notes = Notes::default();
    let biology = characteristics::read(tag, &mut notes)?;
    let place = format!("line {}", tag.line);
    let profile = ImportedProfile { place: place.clone(), biology, ..ImportedProfile::default() };
    if profile.biology == domain::user::Biology::default() {
        notes.into_texts().for_each(|note| items.note(&place, note));
    } else {
        items.finish(&place, notes, Ok(ImportItem::Profile(Box::new(profile))));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
