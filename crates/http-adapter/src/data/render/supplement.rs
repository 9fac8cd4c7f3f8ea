//! Supplements as JSON. A record may have any number of logs, so that a log is a piece of its own.

use super::json;
use super::page::Items;
use crate::data::dto::SupplementDetailsDto;
use application::ports::storage::{IntakeLogRow, StorageError, SupplementRecord};
use domain::id::{SupplementId, UserId};
use domain::sleep::MetricValue;
use domain::supplement::{Servings, Supplement};
use domain::time::TimestampWriter;
use std::vec::IntoIter;

/// The supplements of a page.
pub(in crate::data) struct SupplementItems {
    records: IntoIter<SupplementRecord>,
    open: Option<OpenRecord>,
    writer: LogWriter,
    is_first: bool,
}

/// Writes logs one by one.
pub(super) struct LogWriter {
    timestamps: TimestampWriter,
    /// The members from `user_id` to the name of `servings`, which neighbours have in common.
    ids: Vec<u8>,
    /// How much of them is the same for every supplement.
    constant: usize,
    supplement_id: Option<SupplementId>,
}

/// A record whose logs are being written.
struct OpenRecord {
    supplement_id: SupplementId,
    logs: IntoIter<IntakeLogRow>,
    is_first: bool,
}

impl SupplementItems {
    /// Takes the records of a page and checks their numbers, so that a corrupt one is an error status.
    pub(in crate::data) fn new(
        records: Vec<SupplementRecord>,
        user_id: UserId,
    ) -> Result<Self, StorageError> {
        records.iter().flat_map(|record| &record.logs).try_for_each(check)?;
        Ok(Self { records: records.into_iter(), open: None, writer: LogWriter::new(user_id), is_first: true })
    }

    /// Writes a record up to its first log.
    fn open(&mut self, record: SupplementRecord, out: &mut Vec<u8>) -> OpenRecord {
        let SupplementRecord { supplement, logs } = record;
        json::separate(&mut self.is_first, out);
        write_beginning(&supplement, out);
        OpenRecord { supplement_id: supplement.id, logs: logs.into_iter(), is_first: true }
    }

    /// Writes the next log of a record, or its end; gives the record back when it has not ended.
    fn go_on(&mut self, mut record: OpenRecord, out: &mut Vec<u8>) -> Option<OpenRecord> {
        let Some(log) = record.logs.next() else {
            out.extend_from_slice(END);
            return None;
        };
        json::separate(&mut record.is_first, out);
        self.writer.write(record.supplement_id, &log, out);
        Some(record)
    }
}

/// Ends what [`write_beginning`] began.
pub(super) const END: &[u8] = b"]}";

/// Appends a supplement up to its first log.
pub(super) fn write_beginning(supplement: &Supplement, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\":");
    json::write_uuid(supplement.id.as_uuid(), out);
    out.extend_from_slice(b",\"details\":");
    json::write(&SupplementDetailsDto::new(supplement), out);
    out.extend_from_slice(b",\"logs\":[");
}

impl LogWriter {
    pub(super) fn new(user_id: UserId) -> Self {
        let mut ids = b",\"user_id\":".to_vec();
        json::write_uuid(user_id.as_uuid(), &mut ids);
        ids.extend_from_slice(b",\"supplement_id\":");
        Self { timestamps: TimestampWriter::new(), constant: ids.len(), ids, supplement_id: None }
    }

    /// Appends a log that [`check`] let pass.
    pub(super) fn write(&mut self, supplement_id: SupplementId, log: &IntakeLogRow, out: &mut Vec<u8>) {
        let IntakeLogRow { id, created_at_micros, servings } = log;
        out.extend_from_slice(b"{\"id\":");
        json::write_uuid(id.as_uuid(), out);
        out.extend_from_slice(b",\"created_at\":\"");
        self.timestamps.write_micros_numeric(out, *created_at_micros);
        out.push(b'"');
        out.extend_from_slice(self.ids(supplement_id));
        if let Some(servings) = MetricValue::from_f64(*servings) {
            servings.write_json(out);
        }
        out.push(b'}');
    }

    /// Writes what the logs of one supplement have in common.
    fn ids(&mut self, supplement_id: SupplementId) -> &[u8] {
        if self.supplement_id != Some(supplement_id) {
            self.ids.truncate(self.constant);
            json::write_uuid(supplement_id.as_uuid(), &mut self.ids);
            self.ids.extend_from_slice(b",\"servings\":");
            self.supplement_id = Some(supplement_id);
        }
        &self.ids
    }
}

impl Items for SupplementItems {
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        if let Some(record) = self.open.take() {
            self.open = self.go_on(record, out);
            return true;
        }
        let Some(record) = self.records.next() else { return false };
        let open = self.open(record, out);
        self.open = Some(open);
        true
    }

    fn held(&self) -> usize {
        let of_open = self.open.as_ref().map_or(0, |open| open.logs.len().saturating_mul(LOG));
        let of_record = |SupplementRecord { supplement, logs }: &SupplementRecord| {
            held(supplement).saturating_add(logs.capacity().saturating_mul(LOG))
        };
        self.records.as_slice().iter().map(of_record).fold(of_open, usize::saturating_add)
    }
}

/// The memory of one log.
const LOG: usize = size_of::<IntakeLogRow>();

/// Tells how many bytes of memory a label takes, about: a row of ingredients has three texts.
pub(super) fn held(supplement: &Supplement) -> usize {
    1024_usize.saturating_add(supplement.label.ingredients().len().saturating_mul(256))
}

/// Refuses servings that nobody can have taken; an infinite number is no JSON.
pub(super) fn check(log: &IntakeLogRow) -> Result<(), StorageError> {
    let corrupt =
        || StorageError::Corrupt { table: "intake_log", column: "servings", row: log.id.to_string() };
    Servings::new(log.servings).map(|_| ()).map_err(|_| corrupt())
}
