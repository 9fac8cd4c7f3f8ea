//! The table of endpoints: paths, methods and audiences.

mod audience;
mod reference;
mod table;
#[cfg(test)]
mod tests;

pub use audience::{Audience, Credential, Outcome};
pub use reference::authorization_reference;
pub use table::{Endpoint, EndpointRow};

/// Paths that clients, documents or pages refer to.
pub(crate) mod path {
    /// The two endpoints that issue tokens.
    pub(crate) const TOKEN: &str = "/api/token";
    pub(crate) const REFRESH: &str = "/api/refresh";
    /// Token revocation (RFC 7009) and introspection (RFC 7662).
    pub(crate) const REVOKE: &str = "/oauth/revoke";
    pub(crate) const INTROSPECT: &str = "/oauth/introspect";
    /// Server metadata (RFC 8414) and public keys (RFC 7517).
    pub(crate) const METADATA: &str = "/.well-known/oauth-authorization-server";
    pub(crate) const KEY_SET: &str = "/.well-known/jwks.json";
    /// Health checks.
    pub(crate) const LIVE: &str = "/livez";
    pub(crate) const READY: &str = "/readyz";
    /// Interactive API reference.
    pub(crate) const REFERENCE: &str = "/docs";
    /// Assets of the pages.
    pub(crate) const STYLE_SHEET: &str = "/assets/pages.css";
    pub(crate) const ICON: &str = "/assets/icon.svg";
}
/// Pages for people, and the authorization endpoint that leads to them.
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
