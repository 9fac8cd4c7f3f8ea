//! What an app asks a person for.

use super::part::readable;
use super::{FormErrors, ScopeLine};
use askama::Template;
use domain::scope::ScopeSet;

/// The page on which a person decides (decisions 8).
#[derive(Clone, Template)]
#[template(path = "consent.html")]
pub(crate) struct Consent {
    /// The app's name, which the app's developer chose.
    pub(crate) app: String,
    /// The host that the person is sent back to, which the operator registered.
    pub(crate) site: String,
    /// Who decides.
    pub(crate) email: String,
    /// The token of the browser's forms.
    pub(crate) form_token: String,
    /// The id of the request.
    pub(crate) request: String,
    /// What is asked for; at first every box is ticked.
    pub(crate) scopes: Vec<ScopeLine>,
    /// What the app holds already; nothing when it holds none.
    pub(crate) held: Option<ScopeSet>,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

impl Consent {
    fn held_words(&self) -> Option<String> {
        self.held.map(readable)
    }
}
