//! Content of a file's resources, collected until its nights are known.

use super::resource::Observation;
use super::subject::Subject;
use super::total::Totals;
use super::{device, observation};
use crate::segments::Segments;
use crate::source::{Invalid, Items, Notes};
use application::ports::import_source::ImportItem;

pub(super) struct Collected {
    segments: Segments,
    totals: Totals,
    subject: Subject,
    /// The first resource that is not an Observation of sleep, and their number.
    first_passed_over: Option<u64>,
    passed_over: usize,
}

impl Default for Collected {
    fn default() -> Self {
        Self {
            segments: Segments::new("record"),
            totals: Totals::default(),
            subject: Subject::default(),
            first_passed_over: None,
            passed_over: 0,
        }
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
        let added = self.segments.add(&source, &content.segment);
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

    /// Counts a resource that is not an Observation of sleep.
    pub(super) fn count_skipped(&mut self, number: u64) {
        self.first_passed_over.get_or_insert(number);
        self.passed_over = self.passed_over.saturating_add(1);
    }

    /// Emits the next session; `false` at the end.
    pub(super) fn next_session(&mut self, items: &mut Items) -> bool {
        if let Some(number) = self.first_passed_over.take() {
            let note = "resources that are not sleep Observations were skipped";
            items.note_count(&format!("record {number}"), note, self.passed_over);
        }
        let mut emitted = Items::default();
        let more = self.segments.next_session(&mut emitted);
        for item in emitted.take() {
            self.finish(item, items);
        }
        more
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
