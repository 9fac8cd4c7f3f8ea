//! Ingest of sessions, labels and logs, stored as by an import.

use super::{IngestError, ItemResult};
use crate::import::batch::{Batch, Numbered, RejectedRecord, RejectionCause};
use crate::import::batch_writer::BatchWriter;
use crate::import::run::Run;
use crate::ports::import_source::ImportItem;
use crate::ports::ingest_source::{ItemCode, ItemRefusal};
use std::collections::HashMap;

/// Stores records; returns their results.
pub(super) async fn store(
    storing: &BatchWriter<'_>,
    run: &mut Run<'_>,
    records: Vec<Numbered<ImportItem>>,
) -> Result<Vec<Numbered<ItemResult>>, IngestError> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    storing.store(run, Batch { records, ..Batch::default() }).await?;
    let mut notes: HashMap<usize, String> =
        run.notes.drain(..).map(|(position, note)| (position, note.reason)).collect();
    let results = run.results.drain(..).map(|(position, result)| {
        let result = match result {
            Ok((record, outcome)) => {
                ItemResult::of_record(record, outcome).with_notes(notes.remove(&position).as_slice())
            }
            Err(unstored) => ItemResult::Rejected(refusal(unstored)),
        };
        (position, result)
    });
    Ok(results.collect())
}

/// Returns the code of a rejection.
fn refusal(RejectedRecord { rejection, why }: RejectedRecord) -> ItemRefusal {
    let (code, field) = match why {
        Some(RejectionCause::UnknownSupplement) => (ItemCode::UnknownSupplement, "supplement_id"),
        Some(RejectionCause::UnknownUpc) => (ItemCode::UnknownSupplement, "upc"),
        Some(RejectionCause::InTheFuture) => (ItemCode::InvalidMember, "time_in_bed_end"),
        Some(RejectionCause::TakenInTheFuture) => (ItemCode::InvalidMember, "created_at"),
        Some(
            RejectionCause::NoPerson
            | RejectionCause::SessionOfTwo
            | RejectionCause::LogOfTwo
            | RejectionCause::LabelOfTwo
            | RejectionCause::KeyConflict,
        )
        | None => (ItemCode::IdConflict, "id"),
    };
    ItemRefusal { code, field: Some(field), detail: rejection.reason }
}
