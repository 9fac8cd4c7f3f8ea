//! Export formats.

use application::ports::export_writer::{ExportFormat, ExportWriter, ExportWriters};
use domain::id::UserId;
use export_adapter::ZipExport;
use http_adapter::NdjsonExport;

/// Writers of every format. NDJSON lines have the fields of the API, so http-adapter writes them.
pub(crate) struct Writers;

impl ExportWriters for Writers {
    fn open(&self, format: ExportFormat, user_id: UserId) -> Box<dyn ExportWriter> {
        match format {
            ExportFormat::Ndjson => Box::new(NdjsonExport::new(user_id)),
            ExportFormat::Zip => Box::new(ZipExport::default()),
        }
    }
}
