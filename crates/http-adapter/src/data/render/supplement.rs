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
    user_id: UserId,
    timestamps: TimestampWriter,
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
        Self { user_id, timestamps: TimestampWriter::new() }
    }

    /// Appends a log that [`check`] let pass.
    pub(super) fn write(&mut self, supplement_id: SupplementId, log: &IntakeLogRow, out: &mut Vec<u8>) {
        let IntakeLogRow { id, created_at_micros, servings } = log;
        out.extend_from_slice(b"{\"id\":");
        json::write_uuid(id.as_uuid(), out);
        out.extend_from_slice(b",\"created_at\":\"");
        self.timestamps.write_micros_numeric(out, *created_at_micros);
        out.extend_from_slice(b"\",\"user_id\":");
        json::write_uuid(self.user_id.as_uuid(), out);
        out.extend_from_slice(b",\"supplement_id\":");
        json::write_uuid(supplement_id.as_uuid(), out);
        out.extend_from_slice(b",\"servings\":");
        if let Some(servings) = MetricValue::from_f64(*servings) {
            servings.write_json(out);
        }
        out.push(b'}');
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
}

/// Refuses servings that nobody can have taken; an infinite number is no JSON.
pub(super) fn check(log: &IntakeLogRow) -> Result<(), StorageError> {
    let corrupt =
        || StorageError::Corrupt { table: "intake_log", column: "servings", row: log.id.to_string() };
    Servings::new(log.servings).map(|_| ()).map_err(|_| corrupt())
}
