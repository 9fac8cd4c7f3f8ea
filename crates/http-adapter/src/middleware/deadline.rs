//! Nobody waits for ever: a store that keeps a connection open and says nothing is a 503 after a time.

use super::context::state;
use crate::HttpSettings;
use crate::ingest::MAX_WAIT;
use crate::problem::{Fault, Problem};
use crate::route;
use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use std::time::Duration;

/// How much longer a long body may take: to arrive, and as long again to be worked on.
const LONG_BODY: Duration = MAX_WAIT.saturating_mul(2);

/// Gives a handler up that does not answer in time, but for one that takes a file in: it keeps its own time. What it held is dropped, and with it every transaction
/// that is not committed. The body of an answer may take longer: its rows are read by then.
pub(super) async fn keep<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    if route::is_upload(request.path(), request.method()) {
        return next.call(request).await;
    }
    let limit = match state(&request) {
        Some(state) => state.settings.answer_timeout,
        None => HttpSettings::default().answer_timeout,
    };
    let limit = if route::takes_long(request.path(), request.method()) { limit + LONG_BODY } else { limit };
    let answered = tokio::time::timeout(limit, next.call(request)).await;
    answered.unwrap_or_else(|_| Err(Problem::new(Fault::StorageUnavailable).into()))
}
