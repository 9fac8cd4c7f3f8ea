//! Timeout of requests: a handler that waits too long for an unresponsive store gets 503.

use super::facts::{Outcome, RequestFacts};
use crate::HttpSettings;
use crate::ingest::MAX_WAIT;
use crate::problem::{Fault, Problem};
use actix_web::dev::ServiceRequest;
use std::time::Duration;

/// Extra time for a long body: to receive it, and as much again to process it.
const LONG_BODY: Duration = MAX_WAIT.saturating_mul(2);

/// Cancels a handler that exceeds its timeout, which rolls its transactions back.
///
/// Uploads have a separate timeout. Sending the response body is not limited here: its rows are already read.
pub(super) async fn keep(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let method = request.method();
    if facts.endpoint.is_some_and(|endpoint| endpoint.is_upload(method)) {
        return next(request).await;
    }
    let limit = match &facts.state {
        Some(state) => state.settings.answer_timeout,
        None => HttpSettings::default().answer_timeout,
    };
    let has_long_timeout = facts.endpoint.is_some_and(|endpoint| endpoint.has_long_timeout(method));
    let limit = if has_long_timeout { limit + LONG_BODY } else { limit };
    let answered = tokio::time::timeout(limit, next(request)).await;
    answered.unwrap_or_else(|_| Err(Problem::new(Fault::StorageUnavailable).into()))
}
