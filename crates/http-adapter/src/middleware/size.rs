//! The sizes of what comes before a body (decisions 2); checked before anything is parsed, but after the method:
//! a method that is not served is a 405 whatever its size.

use super::context::{Outcome, Seen};
use crate::problem::{Fault, Problem};
use crate::route;
use actix_web::HttpResponse;
use actix_web::dev::{ServiceRequest, ServiceResponse};

const MAX_PATH: usize = 8 * 1024;
const MAX_QUERY: usize = 8 * 1024;
const MAX_HEADERS: usize = 16 * 1024;

pub(super) async fn limit(
    seen: &Seen,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    match too_large(seen, &request) {
        Some(fault) => {
            // Not `request.into_response`, which would forget the problem behind the response.
            let (request, _) = request.into_parts();
            Ok(ServiceResponse::new(request, HttpResponse::from_error(Problem::new(fault))))
        }
        None => next(request).await,
    }
}

fn too_large(seen: &Seen, request: &ServiceRequest) -> Option<Fault> {
    if !route::may_serve(seen.row, request.method()) {
        return None;
    }
    if request.path().len() > MAX_PATH || request.query_string().len() > MAX_QUERY {
        return Some(Fault::UriTooLong);
    }
    // Every header takes a colon, a space and a line end beside its name and value.
    let headers = request.headers().iter();
    let size: usize = headers.map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    (size > MAX_HEADERS).then_some(Fault::HeadersTooLarge)
}
