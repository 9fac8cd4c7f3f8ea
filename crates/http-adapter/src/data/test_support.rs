//! The parser of access tokens and the writer of pages.

use super::bearer;
use super::render::{Items as _, SleepItems};
use super::sleep::Include;
use crate::problem::Problem;
use actix_web::HttpRequest;
use application::StorageError;
use application::read::PackedSleepRow;

/// Returns the access token of a request's header.
pub fn bearer_token(request: &HttpRequest) -> Result<&str, Problem> {
    bearer::token(request)
}

/// Renders sessions with stages and metrics, as in the member `data` of a page.
pub fn sleep_items(rows: Vec<PackedSleepRow>) -> Result<Vec<u8>, StorageError> {
    let mut items = SleepItems::new(rows, Include { stages: true, metrics: true });
    let mut text = Vec::new();
    while items.write_next(&mut text)? {}
    Ok(text)
}
