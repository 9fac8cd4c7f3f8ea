//! Supplements as JSON. A record may have any number of logs, so a record is written in several pieces.

use super::json;
use super::log::LogWriter;
use super::page::Items;
use application::StorageError;
use application::read::{IntakeLogRow, SupplementRecord};
use domain::id::{SupplementId, UserId};
use domain::supplement::{Amount, Ingredient, Supplement};
use domain::time::{TimestampWriter, UtcOffset};
use std::vec::IntoIter;

/// Supplements of a page.
pub(in crate::data) struct SupplementItems {
    records: IntoIter<SupplementRecord>,
    open: Option<OpenRecord>,
    writer: LogWriter,
    is_first: bool,
}

/// Logs per piece: a few kilobytes.
const LOGS_PER_PIECE: usize = 16;

/// Record whose logs are being written.
struct OpenRecord {
    supplement_id: SupplementId,
    logs: IntoIter<IntakeLogRow>,
    is_first: bool,
}

impl SupplementItems {
    /// Validates the numbers of the records, so that a corrupt one becomes an error status.
    pub(in crate::data) fn new(
        records: Vec<SupplementRecord>,
        user_id: UserId,
    ) -> Result<Self, StorageError> {
        records.iter().flat_map(|record| &record.logs).try_for_each(IntakeLogRow::check)?;
        Ok(Self { records: records.into_iter(), open: None, writer: LogWriter::new(user_id), is_first: true })
    }

    /// Writes a record up to its first log.
    fn open(&mut self, record: SupplementRecord, out: &mut Vec<u8>) -> OpenRecord {
        let SupplementRecord { supplement, logs } = record;
        json::separate(&mut self.is_first, out);
        write_beginning(&supplement, out);
        OpenRecord { supplement_id: supplement.id, logs: logs.into_iter(), is_first: true }
    }

    /// Writes the next logs of a record, and its end after the last one; returns the record if more logs
    /// remain.
    fn go_on(&mut self, mut record: OpenRecord, out: &mut Vec<u8>) -> Option<OpenRecord> {
        for log in record.logs.by_ref().take(LOGS_PER_PIECE) {
            json::separate(&mut record.is_first, out);
            self.writer.write(record.supplement_id, &log, out);
        }
        if record.logs.as_slice().is_empty() {
            out.extend_from_slice(END);
            return None;
        }
        Some(record)
    }
}

/// Text after the logs of a record.
pub(super) const END: &[u8] = b"]}";

/// Appends a supplement up to its first log.
pub(super) fn write_beginning(supplement: &Supplement, out: &mut Vec<u8>) {
    let Supplement { id, label, entry_date } = supplement;
    out.extend_from_slice(b"{\"id\":");
    json::write_uuid(id.as_uuid(), out);
    out.extend_from_slice(b",\"details\":{\"id\":");
    json::write_uuid(id.as_uuid(), out);
    let texts: [(&[u8], &str); 4] = [
        (b",\"brand\":", label.brand()),
        (b",\"name\":", label.name()),
        (b",\"servings\":", label.servings()),
        (b",\"upc\":", label.upc()),
    ];
    for (member, text) in texts {
        out.extend_from_slice(member);
        json::write(text, out);
    }
    out.extend_from_slice(b",\"entry_date\":\"");
    TimestampWriter::new().write_millis(out, entry_date.timestamp_millis(), Some(UtcOffset::UTC));
    out.extend_from_slice(b"\",\"supplement_ingredient\":[");
    let mut is_first = true;
    for (order, ingredient) in label.ordered_ingredients() {
        json::separate(&mut is_first, out);
        write_ingredient(order, ingredient, out);
    }
    out.extend_from_slice(b"]},\"logs\":[");
}

fn write_ingredient(order: u32, ingredient: &Ingredient, out: &mut Vec<u8>) {
    let amount = ingredient.amount();
    let (quantity, unit) =
        amount.map_or((0.0, Amount::NOT_PRESENT), |amount| (amount.quantity(), amount.unit()));
    let truth = |is_so| if is_so { b"true".as_slice() } else { b"false" };
    out.extend_from_slice(b"{\"quantity\":");
    json::write_number(quantity, out);
    out.extend_from_slice(b",\"unit\":");
    json::write(unit, out);
    out.extend_from_slice(b",\"active\":");
    out.extend_from_slice(truth(ingredient.is_active()));
    out.extend_from_slice(b",\"ingredient_name\":");
    json::write(ingredient.name(), out);
    out.extend_from_slice(b",\"order\":");
    json::write_number(f64::from(order), out);
    out.extend_from_slice(b",\"amount_stated\":");
    out.extend_from_slice(truth(amount.is_some()));
    out.push(b'}');
}

impl Items for SupplementItems {
    fn write_next(&mut self, out: &mut Vec<u8>) -> Result<bool, StorageError> {
        if let Some(record) = self.open.take() {
            self.open = self.go_on(record, out);
            return Ok(true);
        }
        let Some(record) = self.records.next() else { return Ok(false) };
        let open = self.open(record, out);
        self.open = Some(open);
        Ok(true)
    }

    fn check(&self) -> Result<(), StorageError> {
        // The constructor validated everything.
        Ok(())
    }

    fn memory_size(&self) -> usize {
        let of_open = self.open.as_ref().map_or(0, |open| open.logs.len().saturating_mul(LOG));
        let of_record = |SupplementRecord { supplement, logs }: &SupplementRecord| {
            memory_size(supplement).saturating_add(logs.capacity().saturating_mul(LOG))
        };
        self.records.as_slice().iter().map(of_record).fold(of_open, usize::saturating_add)
    }
}

/// Memory of one log in bytes.
const LOG: usize = size_of::<IntakeLogRow>();

/// Estimates the memory of a label in bytes: each ingredient has three strings.
pub(super) fn memory_size(supplement: &Supplement) -> usize {
    1024_usize.saturating_add(supplement.label.ingredients().len().saturating_mul(256))
}
