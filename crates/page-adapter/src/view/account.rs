//! Account page.

use super::{FormErrors, Moment, Person};
use askama::Template;

/// Account page: address, password, browsers.
#[derive(Clone, Template)]
#[template(path = "account.html")]
pub(crate) struct Account {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// Time zone: `Europe/Berlin`.
    pub(crate) time_zone: String,
    /// Signed-in browsers, this one first.
    pub(crate) browsers: Vec<BrowserLine>,
    /// Whether the box "also disconnect all apps and tokens" is ticked.
    pub(crate) disconnects_apps: bool,
    /// Errors of the password form.
    pub(crate) errors: FormErrors,
}

/// Signed-in browser.
#[derive(Clone)]
pub(crate) struct BrowserLine {
    /// Whether it is the current browser.
    pub(crate) is_this: bool,
    /// Time of the sign-in.
    pub(crate) signed_in: Moment,
    /// Time of the last use.
    pub(crate) last_seen: Moment,
}
