//! Response body of an export.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use application::export::ExportFormat;
use application::export::{Export, ExportRecordsError};
use bytes::Bytes;
use futures_util::stream;

/// Sends an export as an attachment, at the client's pace. A failure aborts the connection without the end of
/// the body, so that the file is not mistaken for complete.
pub fn attachment(export: Export, format: ExportFormat) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    // The file name does not identify the person.
    let name = format!("attachment; filename=\"restwell-export.{}\"", format.as_str());
    response.content_type(media_type(format)).insert_header((CONTENT_DISPOSITION, name));
    response.streaming(Box::pin(stream::unfold(Some(export), piece)))
}

/// Returns the next chunk and the rest; `None` after a failure.
///
/// Yields before each step: a fast client would otherwise monopolize the thread.
async fn piece(export: Option<Export>) -> Option<(Result<Bytes, ExportRecordsError>, Option<Export>)> {
    let mut export = export?;
    loop {
        tokio::task::yield_now().await;
        match export.next().await {
            // An empty chunk would end the body.
            Ok(Some(bytes)) if bytes.is_empty() => {}
            Ok(Some(bytes)) => return Some((Ok(Bytes::from(bytes)), Some(export))),
            Ok(None) => return None,
            Err(error) => {
                tracing::warn!(%error, "an export was aborted");
                return Some((Err(error), None));
            }
        }
    }
}

/// Returns the media type of a format.
const fn media_type(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Ndjson => "application/x-ndjson",
        ExportFormat::Zip => "application/zip",
    }
}
