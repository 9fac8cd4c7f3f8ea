//! The access log, the meter and the trace of a request: one line, one count and one span each, and the request id on
//! every line in between.
//!
//! They name the route's pattern, never the path: a path holds a person's id, a query secrets.

use super::context::{assign_id, state};
use crate::{meter, trace};
use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use std::time::Duration;
use tracing::Instrument as _;

pub(super) async fn record(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let method = meter::method_name(request.method());
    let arrival = meter::arrived(method);
    let elapsed_time = state(&request).map(|state| state.elapsed_time.clone());
    let elapsed_time = || elapsed_time.as_ref().map_or(Duration::ZERO, |source| source());
    let started = elapsed_time();
    let id = assign_id(&request);
    let traced = trace::begin(&request, method, id, state(&request).and_then(|state| state.trace.as_ref()));
    let span = tracing::info_span!(parent: &traced, "request", request_id = %id);
    let answering = async {
        let outcome = next.call(request).await.map(ServiceResponse::map_into_boxed_body);
        let status = match &outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        let route = outcome.as_ref().ok().and_then(|response| response.request().match_pattern());
        let took = elapsed_time().saturating_sub(started);
        tracing::info!(
            method,
            route = route.as_deref().unwrap_or("unmatched"),
            status = status.as_u16(),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "request served"
        );
        arrival.answered(route.as_deref(), status, took);
        trace::end(&traced, method, route.as_deref().unwrap_or("unmatched"), status);
        outcome.map(|response| response.map_body(|_, body| arrival.sends(route.as_deref(), body)))
    };
    answering.instrument(span).await
}
