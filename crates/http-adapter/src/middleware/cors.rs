//! CORS on the endpoints that a browser app calls, for the configured origins and never with credentials
//! (security.md T35): the app sends its token in a header, not in a cookie. `/authorize` is a page, which no
//! script reads.

use super::facts::{Outcome, RequestFacts};
use super::header;
use crate::route::Endpoint;
use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderValue,
    ORIGIN,
};

const EXPOSED: &str = "Restwell-Ignored-Parameters, Retry-After, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";

/// Requests that scripts of listed origins may send to an endpoint.
struct Permission {
    methods: &'static str,
    headers: &'static str,
}

impl Permission {
    const fn to(endpoint: Endpoint) -> Option<Self> {
        let (methods, headers) = match endpoint {
            Endpoint::Mcp => (
                "POST",
                "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id",
            ),
            Endpoint::Token | Endpoint::Refresh | Endpoint::Revoke => ("POST", "Authorization, Content-Type"),
            // Assistants send the version of their protocol with every request.
            Endpoint::Metadata | Endpoint::ApiResource | Endpoint::McpResource | Endpoint::KeySet => {
                ("GET", "MCP-Protocol-Version")
            }
            _ if endpoint.reads_data() => ("GET", "Authorization"),
            _ => return None,
        };
        Some(Self { methods, headers })
    }
}

pub(super) async fn apply(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let permission = facts.endpoint.and_then(Permission::to);
    let Some((permission, origin)) = permission.zip(allowed_origin(facts, &request)) else {
        return next(request).await;
    };
    if is_preflight(&request) {
        let mut answer = HttpResponse::NoContent()
            .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, origin))
            .insert_header((ACCESS_CONTROL_ALLOW_METHODS, permission.methods))
            .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, permission.headers))
            .insert_header((ACCESS_CONTROL_MAX_AGE, "600"))
            .finish();
        header::write(answer.headers_mut(), facts.dialect(), facts.is_https(), facts.request_id);
        return Ok(request.into_response(answer));
    }
    let mut response = next(request).await?;
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    response.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    Ok(response)
}

/// Returns the request's origin if it is listed.
fn allowed_origin(facts: &RequestFacts, request: &ServiceRequest) -> Option<HeaderValue> {
    let origin = request.headers().get(ORIGIN)?;
    let allowed = &facts.state.as_ref()?.settings.cors_allowed_origins;
    let is_listed = allowed.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes());
    is_listed.then(|| origin.clone())
}

fn is_preflight(request: &ServiceRequest) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
