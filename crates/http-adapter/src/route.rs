//! What a path is, before and after routing.

use crate::parameter::decode_component;
use crate::problem::Dialect;
use actix_web::http::Method;
use std::borrow::Cow;

/// The paths of the two endpoints that issue tokens.
pub(crate) const TOKEN: &str = "/api/token";
pub(crate) const REFRESH: &str = "/api/refresh";
/// The paths of the two endpoints that are given a token (RFC 7009, RFC 7662).
pub(crate) const REVOKE: &str = "/oauth/revoke";
pub(crate) const INTROSPECT: &str = "/oauth/introspect";
/// Where clients find out about the server (RFC 8414), and its public keys (RFC 7517).
pub(crate) const METADATA: &str = "/.well-known/oauth-authorization-server";
pub(crate) const KEY_SET: &str = "/.well-known/jwks.json";
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
    pub(crate) const ACTIVITY: &str = "/activity";
    pub(crate) const ACCOUNT: &str = "/account";
    pub(crate) const CHANGE_PASSWORD: &str = "/account/password";
    pub(crate) const SIGN_OUT_EVERYWHERE: &str = "/account/sign-out-everywhere";

    /// The pages that are only shown.
    pub(crate) const SHOWN: [&str; 4] = [AUTHORIZE, APPS, ACTIVITY, ACCOUNT];
    /// The pages that are shown and take a form.
    pub(crate) const BOTH: [&str; 6] = [SIGN_IN, SIGN_UP, FORGOT_PASSWORD, SET_PASSWORD, CONSENT, TOKENS];
    /// What only takes a form.
    pub(crate) const TAKEN: [&str; 5] =
        [SIGN_OUT, DISCONNECT, REVOKE_TOKEN, CHANGE_PASSWORD, SIGN_OUT_EVERYWHERE];
}
/// The interactive reference.
pub(crate) const REFERENCE: &str = "/docs";

/// Which methods a path may serve, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `GET` and `POST`, errors of RFC 6749.
    IssuesTokens,
    /// `POST`, errors of RFC 6749.
    TakesToken,
    /// Some of `GET` and `POST`, errors as pages.
    Page { is_shown: bool, takes_form: bool },
    /// `GET`, problem documents.
    Other,
}

/// Tells what kind of path this is. Decodes it first, as the router does: `/api/%74oken` is the token endpoint too.
fn kind(path: &str) -> Kind {
    // `+` stands for itself in a path; no path of ours has one, so that reading it as a space changes nothing.
    let decoded = decode_component(path).unwrap_or(Cow::Borrowed(path));
    match decoded.as_ref() {
        TOKEN | REFRESH => Kind::IssuesTokens,
        REVOKE | INTROSPECT => Kind::TakesToken,
        path if page::SHOWN.contains(&path) => Kind::Page { is_shown: true, takes_form: false },
        path if page::BOTH.contains(&path) => Kind::Page { is_shown: true, takes_form: true },
        path if page::TAKEN.contains(&path) => Kind::Page { is_shown: false, takes_form: true },
        _ => Kind::Other,
    }
}

/// Tells in which dialect a path answers errors.
pub(crate) fn dialect(path: &str) -> Dialect {
    match kind(path) {
        Kind::IssuesTokens | Kind::TakesToken => Dialect::OAuth,
        Kind::Page { .. } => Dialect::Page,
        Kind::Other => Dialect::Problem,
    }
}

/// Tells whether a route of ours could serve this method on this path. What it denies, routing answers with a 404
/// or a 405.
pub(crate) fn may_serve(path: &str, method: &Method) -> bool {
    match kind(path) {
        Kind::IssuesTokens => *method == Method::GET || *method == Method::POST,
        Kind::TakesToken => *method == Method::POST,
        Kind::Page { is_shown, takes_form } => {
            (is_shown && *method == Method::GET) || (takes_form && *method == Method::POST)
        }
        Kind::Other => *method == Method::GET,
    }
}

/// Tells whether a path, decoded as the router decodes it, belongs to a data endpoint, with or without `v1`.
pub(crate) fn is_data(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/api/") else { return false };
    let rest = rest.strip_prefix("v1/").unwrap_or(rest);
    ["profile/", "sleep/", "supplements/"].iter().any(|endpoint| rest.starts_with(endpoint))
}
