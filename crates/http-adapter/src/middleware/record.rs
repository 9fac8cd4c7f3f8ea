//! The access log, the meter and the trace of a request: one line, one count and one span each, and the request id on
//! every line in between.
//!
//! They name the route's pattern, never the path: a path holds a person's id, a query secrets.

use super::context::{Outcome, Seen};
use crate::{meter, trace};
use actix_web::dev::ServiceRequest;
use std::time::Duration;
use tracing::Instrument as _;

pub(super) async fn record(
    seen: &Seen,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let method = meter::method_name(request.method());
    let arrival = meter::arrived(method);
    let elapsed_time = || seen.state.as_ref().map_or(Duration::ZERO, |state| (state.elapsed_time)());
    let started = elapsed_time();
    let continuation = seen.state.as_ref().and_then(|state| state.trace.as_ref());
    let traced = trace::begin(&request, method, seen.request_id, continuation);
    let span = tracing::info_span!(parent: &traced, "request", request_id = %seen.request_id);
    let answering = async {
        let outcome = next(request).await;
        let status = match &outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        // A request that a panic took down has no route that could be relied on.
        let row = if outcome.is_ok() { seen.row } else { None };
        let route = row.map(|row| row.path);
        let took = elapsed_time().saturating_sub(started);
        tracing::info!(
            method,
            route = route.unwrap_or("unmatched"),
            status = status.as_u16(),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "request served"
        );
        arrival.answered(route, status, took);
        trace::end(&traced, method, route.unwrap_or("unmatched"), status);
        outcome.map(|response| response.map_body(|_, body| arrival.sends(route, body)))
    };
    answering.instrument(span).await
}
