//! Nobody waits for ever: a store that keeps a connection open and says nothing is a 503 after a time.

use super::context::{Outcome, Seen};
use crate::HttpSettings;
use crate::ingest::MAX_WAIT;
use crate::problem::{Fault, Problem};
use crate::route;
use actix_web::dev::ServiceRequest;
use std::time::Duration;

/// How much longer a long body may take: to arrive, and as long again to be worked on.
const LONG_BODY: Duration = MAX_WAIT.saturating_mul(2);

/// Gives a handler up that does not answer in time, but for one that takes a file in: it keeps its own time. What it held is dropped, and with it every transaction
/// that is not committed. The body of an answer may take longer: its rows are read by then.
pub(super) async fn keep(
    seen: &Seen,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    if route::is_upload(seen.row, request.method()) {
        return next(request).await;
    }
    let limit = match &seen.state {
        Some(state) => state.settings.answer_timeout,
        None => HttpSettings::default().answer_timeout,
    };
    let limit = if route::takes_long(seen.row, request.method()) { limit + LONG_BODY } else { limit };
    let answered = tokio::time::timeout(limit, next(request)).await;
    answered.unwrap_or_else(|_| Err(Problem::new(Fault::StorageUnavailable).into()))
}
