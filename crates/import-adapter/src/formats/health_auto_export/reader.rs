//! Walks through the metrics and medications of a document, holding one point or dose.

use super::dose::{self, Dose};
use super::point::{self, Sleep};
use super::{MEDICATIONS, METRICS};
use crate::collections::Collections;
use crate::formats::Format;
use crate::input::{Cursor, RECORD_LIMIT};
use crate::json::Values;
use crate::segments::Segments;
use crate::source::{Items, Notes, RecordReader};
use crate::tally::Tally;
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::id::{SupplementId, UserId};
use std::collections::HashSet;

const DATA: &str = "data";
const SLEEP: &str = "sleep_analysis";
/// Unit of the sums of a night.
const HOURS: &str = "hr";
/// Bytes of a held point beside its text.
const HELD_OVERHEAD: usize = 64;
/// Maximum number of medications that are known to be in the file already.
const PRODUCT_LIMIT: usize = 10_000;

const NOT_TAKEN_NOTE: &str = "doses that were not taken were omitted";
const TAKEN_BACK_NOTE: &str =
    "doses that are no longer logged were omitted; an intake of an earlier import stays and can be deleted";
const UNKNOWN_SIZE_NOTE: &str = "doses whose number of units is not stated were stored as one serving";
const NO_SLEEP_NOTE: &str = "the file has neither sleep analysis nor medications";

/// The object or list whose next part is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Document,
    Root,
    Data,
    Metrics,
    Metric,
    Points,
    Doses,
    End,
}

/// Reads a document. Stages form sessions after the last file.
pub(super) struct Reader {
    values: Values,
    level: Level,
    /// Whether no part of the level was read yet.
    first: bool,
    metric: Metric,
    records: Records,
}

impl Reader {
    pub(super) fn new(cursor: Cursor, user_id: Option<UserId>) -> Self {
        let (values, metric, records) = (Values::new(cursor), Metric::default(), Records::new(user_id));
        Self { values, level: Level::Document, first: true, metric, records }
    }

    fn enter(&mut self, opening: u8, level: Level) -> Result<(), ImportRefusal> {
        self.values.expect(opening)?;
        (self.level, self.first) = (level, true);
        Ok(())
    }

    /// Reads the next member of an object, or ends it.
    fn read_member(&mut self, items: &mut Items) -> Result<(), ImportRefusal> {
        let Some(name) = self.values.next_member(self.first)? else { return self.leave_object(items) };
        self.first = false;
        let next = self.values.peek()?;
        match (self.level, name.as_str(), next) {
            (Level::Root, DATA, Some(b'{')) => self.enter(b'{', Level::Data),
            (Level::Data, METRICS, Some(b'[')) => self.enter(b'[', Level::Metrics),
            (Level::Data, MEDICATIONS, Some(b'[')) => self.enter(b'[', Level::Doses),
            (Level::Metric, DATA, Some(b'[')) if self.metric.kind() != Kind::Other => {
                self.enter(b'[', Level::Points)
            }
            (Level::Metric, "name", _) => self.read_text().map(|name| self.metric.name = Some(name)),
            (Level::Metric, "units", _) => self.read_text().map(|units| self.metric.units = Some(units)),
            _ => {
                self.records.has_others |= self.level == Level::Data;
                self.values.skip()
            }
        }
    }

    /// Reads a value that should be a text; any other is an empty one.
    fn read_text(&mut self) -> Result<String, ImportRefusal> {
        let start = self.values.read()?;
        Ok(serde_json::from_str(self.values.text(start)?).unwrap_or_default())
    }

    /// Reads the next element of a list, or ends it.
    fn read_element(&mut self, items: &mut Items) -> Result<(), ImportRefusal> {
        if !self.values.next_element(self.first)? {
            (self.level, self.first) =
                (if self.level == Level::Points { Level::Metric } else { Level::Data }, false);
            return Ok(());
        }
        self.first = false;
        if self.level == Level::Metrics {
            if self.values.peek()? != Some(b'{') {
                return self.values.skip();
            }
            self.metric = Metric { first_record: self.records.number, ..Metric::default() };
            return self.enter(b'{', Level::Metric);
        }
        let start = self.values.read()?;
        let text = self.values.text(start)?;
        let number = self.records.next_number();
        if self.level == Level::Doses {
            self.records.add_dose(number, text, items);
            return Ok(());
        }
        match self.metric.kind() {
            Kind::Undecided => self.metric.hold(number, text),
            kind => self.records.add_point(kind, number, text, items),
        }
    }

    fn leave_object(&mut self, items: &mut Items) -> Result<(), ImportRefusal> {
        self.first = false;
        match self.level {
            Level::Metric => {
                self.level = Level::Metrics;
                return self.records.finish(&std::mem::take(&mut self.metric), items);
            }
            Level::Data => self.level = Level::Root,
            _ => {
                self.values.end()?;
                self.level = Level::End;
                self.records.note(items);
            }
        }
        Ok(())
    }
}

impl RecordReader for Reader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        match self.level {
            Level::Document => self.enter(b'{', Level::Root)?,
            Level::Root | Level::Data | Level::Metric => self.read_member(items)?,
            Level::Metrics | Level::Points | Level::Doses => self.read_element(items)?,
            Level::End => return Ok(false),
        }
        Ok(true)
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections
            .exchange(Format::HealthAutoExport, &mut self.records.segments, || Segments::new("record"));
    }

    fn bytes_read(&self) -> u64 {
        self.values.bytes_read()
    }
}

/// What the points of a metric are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sleep,
    /// Sleep as another exporter writes it, with the number of a stage as quantity.
    OtherUnits,
    Other,
    /// Name or unit have not been read.
    Undecided,
}

/// A metric, as far as it was read: the order of its members varies.
#[derive(Debug, Default)]
struct Metric {
    name: Option<String>,
    units: Option<String>,
    /// Number of the last record before the metric.
    first_record: u64,
    /// Points that may be about sleep, until name and unit are known.
    held: Vec<(u64, String)>,
    held_bytes: usize,
    /// Number of the first point that is not held, and count of such points.
    passed_over: Option<(u64, usize)>,
}

impl Metric {
    fn kind(&self) -> Kind {
        match (self.name.as_deref(), self.units.as_deref()) {
            (Some(name), _) if name != SLEEP => Kind::Other,
            (None, _) | (_, None) => Kind::Undecided,
            (_, Some(units)) if units.eq_ignore_ascii_case(HOURS) => Kind::Sleep,
            _ => Kind::OtherUnits,
        }
    }

    /// Returns what the points are once the metric was read.
    fn final_kind(&self) -> Kind {
        match self.kind() {
            Kind::Undecided if self.name.is_some() => Kind::Sleep,
            Kind::Undecided => Kind::Other,
            kind => kind,
        }
    }

    fn hold(&mut self, number: u64, text: &str) -> Result<(), ImportRefusal> {
        if self.name.is_none() && !point::may_be_sleep(text) {
            let (_, count) = self.passed_over.get_or_insert((number, 0));
            *count = count.saturating_add(1);
            return Ok(());
        }
        self.held_bytes = self.held_bytes.saturating_add(text.len()).saturating_add(HELD_OVERHEAD);
        if self.held_bytes > RECORD_LIMIT {
            return Err(ImportRefusal::Unreadable(
                "a metric has more than 16 MiB before its name and units: split the export by time"
                    .to_owned(),
            ));
        }
        self.held.push((number, text.to_owned()));
        Ok(())
    }
}

/// Records of the file so far.
struct Records {
    number: u64,
    user_id: Option<UserId>,
    segments: Segments,
    products: HashSet<SupplementId>,
    tally: Tally,
    has_sleep: bool,
    has_others: bool,
}

impl Records {
    fn new(user_id: Option<UserId>) -> Self {
        let (segments, products, tally) = (Segments::new("record"), HashSet::new(), Tally::default());
        Self { number: 0, user_id, segments, products, tally, has_sleep: false, has_others: false }
    }

    fn next_number(&mut self) -> u64 {
        self.number = self.number.saturating_add(1);
        self.number
    }

    fn add_point(
        &mut self,
        kind: Kind,
        number: u64,
        text: &str,
        items: &mut Items,
    ) -> Result<(), ImportRefusal> {
        let (place, mut notes) = (place(number), Notes::default());
        if kind == Kind::OtherUnits {
            items.reject(&place, "the units of this sleep analysis are not hours (hr)");
            return Ok(());
        }
        match point::read(text, number, &mut notes) {
            Ok(Sleep::Stage(source, segment)) => {
                let added = self.segments.add(&source, &segment);
                return added.or_else(|invalid| items.reject_invalid(&place, invalid));
            }
            Ok(Sleep::Night(record)) => items.finish_session(&place, notes, Ok(*record)),
            Err(reason) => items.reject(&place, reason),
        }
        Ok(())
    }

    fn add_dose(&mut self, number: u64, text: &str, items: &mut Items) {
        let place = place(number);
        match dose::read(text, self.user_id, &place) {
            Ok(Dose::Taken(taken)) => {
                let id = taken.log.record.supplement_id();
                if !self.products.contains(&id) {
                    items.add(ImportItem::Supplement(Box::new(taken.product)));
                }
                if self.products.len() < PRODUCT_LIMIT {
                    self.products.insert(id);
                }
                if taken.is_of_unknown_size {
                    self.tally.add(UNKNOWN_SIZE_NOTE, 0, &place);
                }
                items.add(ImportItem::Log(Box::new(taken.log)));
            }
            Ok(Dose::NotTaken) => self.tally.add(NOT_TAKEN_NOTE, 0, &place),
            Ok(Dose::TakenBack) => self.tally.add(TAKEN_BACK_NOTE, 0, &place),
            Err(reason) => items.reject(&place, reason),
        }
    }

    /// Adds the points that a metric held.
    fn finish(&mut self, metric: &Metric, items: &mut Items) -> Result<(), ImportRefusal> {
        let kind = metric.final_kind();
        if kind == Kind::Other {
            self.number = metric.first_record;
            self.has_others = true;
            return Ok(());
        }
        self.has_sleep = true;
        if let Some((first, count)) = metric.passed_over {
            items.reject(&place(first), format!("neither a stage nor a night: {count} points of the metric"));
        }
        metric.held.iter().try_for_each(|(number, text)| self.add_point(kind, *number, text, items))
    }

    /// Notes what the file lacks or what was omitted.
    fn note(&mut self, items: &mut Items) {
        while self.tally.emit(items).is_some() {}
        if self.has_others && !self.has_sleep && self.number == 0 {
            items.note(DATA, NO_SLEEP_NOTE);
        }
    }
}

fn place(number: u64) -> String {
    format!("record {number}")
}
