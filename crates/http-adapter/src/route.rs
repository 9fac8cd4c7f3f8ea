//! What a path is, before and after routing.

use crate::parameter::decode_component;
use crate::problem::Dialect;
use actix_web::http::Method;
use std::borrow::Cow;

/// The paths of the two token endpoints.
pub(crate) const TOKEN: &str = "/api/token";
pub(crate) const REFRESH: &str = "/api/refresh";

/// Tells in which dialect a path answers errors. Decodes the path first, as the router does: `/api/%74oken`
/// is the token endpoint too.
pub(crate) fn dialect(path: &str) -> Dialect {
    // `+` stands for itself in a path; no path of ours has one, so that reading it as a space changes nothing.
    let decoded = decode_component(path).unwrap_or(Cow::Borrowed(path));
    if decoded == TOKEN || decoded == REFRESH { Dialect::OAuth } else { Dialect::Problem }
}

/// Tells whether a route of ours could serve this method on this path: the token endpoints take `GET` and `POST`,
/// everything else `GET`. What it denies, routing answers with a 404 or a 405.
pub(crate) fn may_serve(path: &str, method: &Method) -> bool {
    *method == Method::GET || (*method == Method::POST && dialect(path) == Dialect::OAuth)
}

/// Tells whether a path, decoded as the router decodes it, belongs to a data endpoint, with or without `v1`.
pub(crate) fn is_data(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/api/") else { return false };
    let rest = rest.strip_prefix("v1/").unwrap_or(rest);
    ["profile/", "sleep/", "supplements/"].iter().any(|endpoint| rest.starts_with(endpoint))
}
