//! Access log, metrics, trace and usage of a request. Every log line of the request carries its id.
//!
//! They contain the pattern of the endpoint, never the path or query, which contain a person's id and
//! secrets.

use super::facts::{Outcome, RequestFacts};
use crate::route::Endpoint;
use crate::{client_request, meter, trace};
use actix_web::dev::ServiceRequest;
use std::time::Duration;
use tracing::Instrument as _;

pub(super) async fn record(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let method = meter::method_name(request.method());
    let arrival = meter::arrived(method);
    let elapsed_time = || facts.state.as_ref().map_or(Duration::ZERO, |state| (state.elapsed_time)());
    let started = elapsed_time();
    let continuation = facts.state.as_ref().and_then(|state| state.trace.as_ref());
    let traced = trace::begin(&request, method, facts.request_id, continuation);
    let span = tracing::info_span!(parent: &traced, "request", request_id = %facts.request_id);
    let answering = async {
        let outcome = next(request).await;
        let status = match &outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        if let (Some(state), Ok(response)) = (&facts.state, &outcome) {
            client_request::record(state, response);
        }
        let route = facts.endpoint.map_or("unmatched", Endpoint::path);
        let took = elapsed_time().saturating_sub(started);
        tracing::info!(
            method,
            route,
            status = status.as_u16(),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "request served"
        );
        arrival.record_response(facts.endpoint, status, took);
        trace::end(&traced, method, route, status);
        outcome.map(|response| response.map_body(|_, body| arrival.meter_body(facts.endpoint, body)))
    };
    answering.instrument(span).await
}
