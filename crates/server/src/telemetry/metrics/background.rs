//! Metrics of background work.

use application::import::{ImportPass, ImportReport};
use application::mail::DeliveryReport;
use application::ports::storage::StorageError;
use application::upload::{ProcessUploadsError, UploadEnd};
use metrics::{Counter, counter};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the messages of one outbox run by outcome.
pub(crate) fn count_mail(outcome: &Result<DeliveryReport, StorageError>) {
    let Ok(DeliveryReport { sent, postponed, given_up }) = *outcome else { return };
    for (outcome, messages) in [("sent", sent), ("postponed", postponed), ("given_up", given_up)] {
        counter!("restwell_mail_messages_total", "outcome" => outcome).increment(messages.into());
    }
}

/// Counter of the bytes of one uploaded file as they are read.
pub(crate) struct UploadMeter {
    checking: Pass,
    storing: Pass,
}

/// One pass over a file.
struct Pass {
    bytes: Counter,
    counted: AtomicU64,
}

impl Pass {
    fn new(pass: &'static str) -> Self {
        let bytes = counter!("restwell_upload_read_bytes_total", "pass" => pass);
        Self { bytes, counted: AtomicU64::new(0) }
    }

    /// Counts the bytes up to a position.
    fn reached(&self, position: u64) {
        let before = self.counted.fetch_max(position, Ordering::Relaxed);
        self.bytes.increment(position.saturating_sub(before));
    }
}

impl UploadMeter {
    pub(crate) fn new() -> Self {
        Self { checking: Pass::new("checking"), storing: Pass::new("storing") }
    }

    /// Records the position of a pass.
    pub(crate) fn read(&self, reading: ImportPass, position: u64) {
        match reading {
            ImportPass::Checking => self.checking.reached(position),
            ImportPass::Storing => self.storing.reached(position),
        }
    }

    /// Counts the outcome of an attempt; `None` if it was stopped.
    pub(crate) fn record_end(end: Option<&Result<UploadEnd, ProcessUploadsError>>) {
        let outcome = match end {
            Some(Ok(UploadEnd::Done(report))) => {
                count_records(report);
                "done"
            }
            Some(Ok(UploadEnd::Rejected)) => "refused",
            Some(Ok(UploadEnd::Gone)) | None => "gone",
            Some(Err(_)) => "failed",
        };
        counter!("restwell_uploads_total", "outcome" => outcome).increment(1);
    }
}

fn count_records(report: &ImportReport) {
    let kinds = [("sleep", report.sessions), ("supplements", report.supplements), ("logs", report.logs)];
    let name = "restwell_upload_records_total";
    for (kind, counts) in kinds {
        for (outcome, records) in
            [("new", counts.new), ("updated", counts.updated), ("unchanged", counts.unchanged)]
        {
            counter!(name, "kind" => kind, "outcome" => outcome).increment(records);
        }
    }
    counter!(name, "kind" => "any", "outcome" => "rejected").increment(report.rejected_total);
}
