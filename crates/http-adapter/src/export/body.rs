//! An export as the body of an answer.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, TryIntoHeaderPair};
use application::export::{Export, ExportRecordsError};
use application::ports::export_writer::ExportFormat;
use bytes::Bytes;
use futures_util::stream;

/// Sends an export as a file to be kept. It is read as fast as the caller takes it; one that fails half-way ends the
/// connection without the end of the body, so that nobody takes it for whole.
pub(crate) fn attachment<H: TryIntoHeaderPair>(
    export: Export,
    format: ExportFormat,
    headers: impl IntoIterator<Item = H>,
) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    for header in headers {
        response.insert_header(header);
    }
    // The name tells nobody whose it is.
    let name = format!("attachment; filename=\"restwell-export.{}\"", format.as_str());
    response.content_type(media_type(format)).insert_header((CONTENT_DISPOSITION, name));
    response.streaming(Box::pin(stream::unfold(Some(export), piece)))
}

/// Returns the next piece, and the rest; after a failure there is none. Whoever else is on this thread goes on before
/// each step: a caller that takes bytes as fast as they come would keep it to itself otherwise.
async fn piece(export: Option<Export>) -> Option<(Result<Bytes, ExportRecordsError>, Option<Export>)> {
    let mut export = export?;
    loop {
        tokio::task::yield_now().await;
        match export.next().await {
            // An empty piece would be the end of the body.
            Ok(Some(bytes)) if bytes.is_empty() => {}
            Ok(Some(bytes)) => return Some((Ok(Bytes::from(bytes)), Some(export))),
            Ok(None) => return None,
            Err(error) => {
                tracing::warn!(%error, "an export ended half-way");
                return Some((Err(error), None));
            }
        }
    }
}

/// Names what a format is in HTTP.
const fn media_type(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Ndjson => "application/x-ndjson",
        ExportFormat::Zip => "application/zip",
    }
}
