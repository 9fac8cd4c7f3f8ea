//! Content of the resources of all files, collected until the nights are known.

use super::resource::Observation;
use super::subject::Subject;
use super::total::Totals;
use super::{device, observation};
use crate::collections::Collection;
use crate::segments::Segments;
use crate::source::{Invalid, Items, Notes};
use application::ports::import_source::ImportItem;

/// Observations of one person.
#[derive(Debug)]
pub(crate) struct Collected {
    segments: Segments,
    totals: Totals,
    subject: Subject,
}

impl Default for Collected {
    fn default() -> Self {
        Self { segments: Segments::new("record"), totals: Totals::default(), subject: Subject::default() }
    }
}

impl Collection for Collected {
    fn begin_file(&mut self, file: u32) {
        self.segments.begin_file(file);
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        let mut emitted = Items::default();
        let file = self.segments.next_session(&mut emitted)?;
        for item in emitted.take() {
            self.finish(item, items);
        }
        Some(file)
    }
}

impl Collected {
    /// Adds an Observation and returns its notes.
    pub(super) fn add(&mut self, observation: &Observation, number: u64) -> Result<Notes, Invalid> {
        let content = observation::read(observation, number)?;
        if !self.subject.admits(&observation.subject) {
            return Err("its subject differs from that of earlier records".to_owned().into());
        }
        let source = device::source(observation).map_err(|error| format!("device: {error}"))?;
        let added = if content.totals.is_empty() {
            self.segments.add(&source, &content.segment)
        } else {
            self.segments.add_period(&source, &content.segment)
        };
        added.map_err(|invalid| invalid.at("effectivePeriod"))?;
        for total in content.totals {
            self.totals.add(&source, total)?;
        }
        let mut notes = Notes::default();
        notes.count(
            content.unreadable,
            "components with a missing value or one of the wrong type or unit were left out",
        );
        Ok(notes)
    }

    fn finish(&mut self, item: ImportItem, items: &mut Items) {
        let ImportItem::Session(mut session) = item else { return items.add(item) };
        let mut notes = Notes::default();
        let place = session.place.clone();
        let outcome = self.totals.applied(&session.record, &mut notes).map(|record| {
            session.record = record;
            ImportItem::Session(session)
        });
        items.finish(&place, notes, outcome);
    }
}
