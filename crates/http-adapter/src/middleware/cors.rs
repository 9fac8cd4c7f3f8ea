//! CORS for the data endpoints alone, for the origins in the settings alone, never with credentials
//! (security.md T35): a browser app sends its token in a header, not in a cookie.

use super::context::{Outcome, Seen};
use super::header;
use crate::route;
use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderValue,
    ORIGIN,
};

const EXPOSED: &str = "Retry-After, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";

pub(super) async fn apply(
    seen: &Seen,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let Some(origin) = allowed_origin(seen, &request) else {
        return next(request).await;
    };
    if is_preflight(&request) {
        let mut answer = HttpResponse::NoContent()
            .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, origin))
            .insert_header((ACCESS_CONTROL_ALLOW_METHODS, "GET"))
            .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, "Authorization"))
            .insert_header((ACCESS_CONTROL_MAX_AGE, "600"))
            .finish();
        header::write(answer.headers_mut(), seen.dialect(), seen.is_https(), seen.request_id);
        return Ok(request.into_response(answer));
    }
    let mut response = next(request).await?;
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    response.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    Ok(response)
}

/// Returns the request's origin when it may read what this path answers.
fn allowed_origin(seen: &Seen, request: &ServiceRequest) -> Option<HeaderValue> {
    let origin = request.headers().get(ORIGIN)?;
    let allowed = &seen.state.as_ref()?.settings.cors_allowed_origins;
    let listed = allowed.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes());
    // The path as the router reads it: `/api/v1/sl%65ep/..` is served too.
    let path = request.match_info().as_str();
    (listed && route::is_data(path)).then(|| origin.clone())
}

fn is_preflight(request: &ServiceRequest) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
