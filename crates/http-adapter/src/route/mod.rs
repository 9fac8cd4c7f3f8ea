//! What has an address, and what a path is before and after routing.

mod audience;
mod direct;
mod reference;
mod table;
#[cfg(test)]
mod tests;

pub use audience::{Audience, Credential, Outcome};
pub(crate) use direct::user_id;
pub use reference::authorization_reference;
pub use table::{Endpoint, EndpointRow};

use crate::problem::Dialect;
use actix_web::http::Method;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Paths that are told to somebody: to clients, in documents, in pages.
pub(crate) mod path {
    /// The two endpoints that issue tokens.
    pub(crate) const TOKEN: &str = "/api/token";
    pub(crate) const REFRESH: &str = "/api/refresh";
    /// The two endpoints that are given a token (RFC 7009, RFC 7662).
    pub(crate) const REVOKE: &str = "/oauth/revoke";
    pub(crate) const INTROSPECT: &str = "/oauth/introspect";
    /// Where clients find out about the server (RFC 8414), and its public keys (RFC 7517).
    pub(crate) const METADATA: &str = "/.well-known/oauth-authorization-server";
    pub(crate) const KEY_SET: &str = "/.well-known/jwks.json";
    /// What load balancers ask.
    pub(crate) const LIVE: &str = "/livez";
    pub(crate) const READY: &str = "/readyz";
    /// The interactive reference.
    pub(crate) const REFERENCE: &str = "/docs";
    /// What the pages load.
    pub(crate) const STYLE_SHEET: &str = "/assets/pages.css";
    pub(crate) const ICON: &str = "/assets/icon.svg";
}
/// Where an app sends a person, and the pages on which people sign in, decide and look after their account.
pub(crate) mod page {
    pub(crate) const AUTHORIZE: &str = "/authorize";
    pub(crate) const SIGN_IN: &str = "/sign-in";
    pub(crate) const SIGN_OUT: &str = "/sign-out";
    pub(crate) const SIGN_UP: &str = "/sign-up";
    pub(crate) const FORGOT_PASSWORD: &str = "/forgot-password";
    pub(crate) const SET_PASSWORD: &str = "/set-password";
    pub(crate) const CONSENT: &str = "/consent";
    pub(crate) const APPS: &str = "/apps";
    pub(crate) const DISCONNECT: &str = "/apps/disconnect";
    pub(crate) const TOKENS: &str = "/tokens";
    pub(crate) const REVOKE_TOKEN: &str = "/tokens/revoke";
    pub(crate) const IMPORTS: &str = "/imports";
    pub(crate) const UNDO_IMPORT: &str = "/imports/undo";
    pub(crate) const APPLY_PROFILE: &str = "/imports/profile";
    pub(crate) const ACTIVITY: &str = "/activity";
    pub(crate) const ACCOUNT: &str = "/account";
    pub(crate) const CHANGE_PASSWORD: &str = "/account/password";
    pub(crate) const DOWNLOAD: &str = "/account/export";
    pub(crate) const ERASE: &str = "/account/erase";
    pub(crate) const SIGN_OUT_EVERYWHERE: &str = "/account/sign-out-everywhere";
}

/// The rows of the table as paths are looked up in it, which every request does once.
struct Rows {
    /// Those whose path stands for itself.
    plain: HashMap<&'static str, EndpointRow>,
    /// Those whose path has a segment in braces.
    patterns: Vec<EndpointRow>,
}

static ROWS: LazyLock<Rows> = LazyLock::new(|| {
    let rows = Endpoint::ALL.iter().map(|endpoint| endpoint.row());
    let (patterns, plain): (Vec<_>, Vec<_>) = rows.partition(|row| row.path.contains('{'));
    Rows { plain: plain.into_iter().map(|row| (row.path, row)).collect(), patterns }
});

/// Finds the row of a path as the router reads it, which has decoded it as far as it does: `/api/%74oken` is the token
/// endpoint too, and `%2F` ends no segment.
pub(crate) fn row_of(path: &str) -> Option<&'static EndpointRow> {
    let rows = &*ROWS;
    rows.plain.get(path).or_else(|| rows.patterns.iter().find(|row| fits(row.path, path)))
}

/// Returns whether a path has the form of a pattern: a segment that is not empty for each in braces.
fn fits(pattern: &str, path: &str) -> bool {
    let (mut expected, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == other || (one.starts_with('{') && !other.is_empty()) => {}
            _ => return false,
        }
    }
}

/// Tells in which dialect a path of this row, or of none, answers errors.
pub(crate) fn dialect(row: Option<&EndpointRow>) -> Dialect {
    row.map_or(Dialect::Problem, |row| row.dialect)
}

/// Tells whether a route of ours could serve this method on a path of this row. What it denies, routing answers with a
/// 404 or a 405. What has no row is for `GET`.
pub(crate) fn may_serve(row: Option<&EndpointRow>, method: &Method) -> bool {
    row.map_or(*method == Method::GET, |row| row.serves(method.as_str()))
}

/// Returns whether a path says whether the server lives: answered however much there is to do.
pub(crate) fn is_health(row: Option<&EndpointRow>) -> bool {
    row.is_some_and(|row| matches!(row.path, path::LIVE | path::READY))
}

/// Returns whether a request may take longer than others, because its body may be long.
pub(crate) fn takes_long(row: Option<&EndpointRow>, method: &Method) -> bool {
    // Whoever only reads brings nothing, and is asked most.
    *method != Method::GET && row.is_some_and(|row| row.takes_long(method.as_str()))
}

/// Returns whether a request brings a file, and keeps its own time.
pub(crate) fn is_upload(row: Option<&EndpointRow>, method: &Method) -> bool {
    *method == Method::POST && row.is_some_and(|row| row.path == page::IMPORTS)
}

/// Tells whether a path, decoded as the router decodes it, belongs to a data endpoint, with or without `v1`.
pub(crate) fn is_data(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/api/") else { return false };
    let rest = rest.strip_prefix("v1/").unwrap_or(rest);
    ["profile/", "sleep/", "supplements/", "changes/", "export/"]
        .iter()
        .any(|endpoint| rest.starts_with(endpoint))
}
