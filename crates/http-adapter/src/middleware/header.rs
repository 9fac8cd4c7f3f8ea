//! Headers of every response.

use crate::problem::Dialect;
use crate::request_context::RequestId;
use actix_web::http::header::{
    CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, PRAGMA, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    VARY, X_CONTENT_TYPE_OPTIONS,
};

/// Adds the headers of decisions 2 and 6. A `Cache-Control` set by the handler is kept.
pub(super) fn write(headers: &mut HeaderMap, dialect: Dialect, is_https: bool, request_id: RequestId) {
    let is_token_endpoint = dialect == Dialect::OAuth;
    if !headers.contains_key(CACHE_CONTROL) {
        let policy = if is_token_endpoint { "no-store" } else { "private, no-store" };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(policy));
        headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    }
    if !is_token_endpoint && !headers.contains_key(VARY) {
        headers.insert(VARY, HeaderValue::from_static("Origin, Accept-Encoding"));
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if is_https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    if let Some(id) = request_id.to_header() {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
}
