//! Refuses a request beyond the limits on concurrent work before it costs anything.

use super::facts::{Outcome, RequestFacts};
use crate::admission::{PermitRefusal, RequestKind};
use crate::problem::Problem;
use crate::route::Endpoint;
use actix_web::HttpResponse;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};

/// Admits a request if permits are free. Health checks need none: a load balancer that takes a busy replica
/// for a dead one moves its load to the others.
pub(super) async fn admit(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let permit = match &facts.state {
        Some(state) if !facts.endpoint.is_some_and(Endpoint::is_health) => {
            match state.admission.begin_request(kind(facts.endpoint, &request)) {
                Ok(permit) => Some(permit),
                Err(shortage) => return Ok(refused(request, shortage)),
            }
        }
        _ => None,
    };
    let answered = next(request).await;
    drop(permit);
    answered
}

fn refused(request: ServiceRequest, shortage: PermitRefusal) -> ServiceResponse {
    let (request, _) = request.into_parts();
    ServiceResponse::new(request, HttpResponse::from_error(Problem::from(shortage)))
}

fn kind(endpoint: Option<Endpoint>, request: &ServiceRequest) -> RequestKind {
    let headers = request.headers();
    let has_length = headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
    if !has_length && !headers.contains_key(TRANSFER_ENCODING) {
        RequestKind::WithoutBody
    } else if endpoint.is_some_and(|endpoint| endpoint.is_upload(request.method())) {
        RequestKind::Upload
    } else {
        RequestKind::WithBody
    }
}
