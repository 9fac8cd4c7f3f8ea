//! A person's account.

use super::{FormErrors, Moment, Person};
use askama::Template;

/// The page of the account: address, password, browsers.
#[derive(Clone, Template)]
#[template(path = "account.html")]
pub(crate) struct Account {
    /// Who is signed in.
    pub(crate) person: Person,
    /// What went well before.
    pub(crate) notice: Option<String>,
    /// The person's zone: `Europe/Berlin`.
    pub(crate) time_zone: String,
    /// The browsers in which the person is signed in, this one first.
    pub(crate) browsers: Vec<BrowserLine>,
    /// Whether the box "also disconnect all apps and tokens" is ticked.
    pub(crate) disconnects_apps: bool,
    /// What was wrong with the form to change the password.
    pub(crate) errors: FormErrors,
}

/// A browser in which the person is signed in.
#[derive(Clone)]
pub(crate) struct BrowserLine {
    /// Whether it is the one that asks.
    pub(crate) is_this: bool,
    /// When the person signed in there.
    pub(crate) signed_in: Moment,
    /// When it was last used.
    pub(crate) last_seen: Moment,
}
