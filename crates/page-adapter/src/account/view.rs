//! Account page.

use super::passkeys::view::{PasskeyAdding, Passkeys};
use super::second_factor::view::CodesLine;
use crate::view::{FormErrors, Moment, Person};
use askama::Template;

/// Account page: address, password, browsers.
#[derive(Clone, Template)]
#[template(path = "account/account.html")]
pub(crate) struct Account {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// Time zone: `Europe/Berlin`.
    pub(crate) time_zone: String,
    /// Recovery codes of the second factor; `None` if it is off.
    pub(crate) second_factor: Option<CodesLine>,
    pub(crate) passkeys: Passkeys,
    /// Signed-in browsers, this one first.
    pub(crate) browsers: Vec<BrowserLine>,
    /// Whether the box "also disconnect all apps and tokens" is ticked.
    pub(crate) disconnects_apps: bool,
    /// Whether people can register apps.
    pub(crate) has_developer_page: bool,
    /// Errors of the password form.
    pub(crate) errors: FormErrors,
}

/// Signed-in browser.
#[derive(Clone)]
pub(crate) struct BrowserLine {
    /// Whether it is the current browser.
    pub(crate) is_this: bool,
    /// Id of the session, for the form.
    pub(crate) id: String,
    /// Browser and platform: `Firefox on Android`.
    pub(crate) name: String,
    /// Network of the sign-in, if known.
    pub(crate) address: Option<String>,
    /// Time of the first sign-in.
    pub(crate) first_seen: Moment,
    /// Time of the last use.
    pub(crate) last_seen: Moment,
}
