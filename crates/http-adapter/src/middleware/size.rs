//! Size limits of the URL and headers (decisions 2). A method that is not served is a 405 whatever the size.

use super::facts::{Outcome, RequestFacts};
use crate::problem::{Fault, Problem};
use actix_web::HttpResponse;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;

const MAX_PATH: usize = 8 * 1024;
const MAX_QUERY: usize = 8 * 1024;
const MAX_HEADERS: usize = 16 * 1024;

pub(super) async fn limit(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    match too_large(facts, &request) {
        Some(fault) => {
            // `ServiceRequest::into_response` would drop the problem behind the response.
            let (request, _) = request.into_parts();
            Ok(ServiceResponse::new(request, HttpResponse::from_error(Problem::new(fault))))
        }
        None => next(request).await,
    }
}

fn too_large(facts: &RequestFacts, request: &ServiceRequest) -> Option<Fault> {
    let is_served = match facts.endpoint {
        Some(endpoint) => endpoint.serves(request.method()),
        // Any other method on an unknown path is a plain 404.
        None => *request.method() == Method::GET,
    };
    if !is_served {
        return None;
    }
    if request.path().len() > MAX_PATH || request.query_string().len() > MAX_QUERY {
        return Some(Fault::UriTooLong);
    }
    // Name and value, colon, space and line end.
    let headers = request.headers().iter();
    let size: usize = headers.map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    (size > MAX_HEADERS).then_some(Fault::HeadersTooLarge)
}
