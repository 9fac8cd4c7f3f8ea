//! The access log: one line a request, and a span that puts the request id on every line in between.
//!
//! The line names the route's pattern, never the path: a path holds a person's id, a query secrets.

use super::context::{assign_id, state};
use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;
use std::time::Duration;
use tracing::Instrument as _;

pub(super) async fn record(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let elapsed_time = state(&request).map(|state| state.elapsed_time.clone());
    let elapsed_time = || elapsed_time.as_ref().map_or(Duration::ZERO, |source| source());
    let started = elapsed_time();
    let span = tracing::info_span!("request", request_id = %assign_id(&request));
    let method = name_of(request.method());
    async move {
        let outcome = next.call(request).await.map(ServiceResponse::map_into_boxed_body);
        let status = match &outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        let route = outcome.as_ref().ok().and_then(|response| response.request().match_pattern());
        let micros = u64::try_from(elapsed_time().saturating_sub(started).as_micros()).unwrap_or(u64::MAX);
        tracing::info!(
            method,
            route = route.as_deref().unwrap_or("unmatched"),
            status = status.as_u16(),
            duration_us = micros,
            "request served"
        );
        outcome
    }
    .instrument(span)
    .await
}

/// Returns a method's name; an invented method is text of the caller's and is not repeated.
fn name_of(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}
