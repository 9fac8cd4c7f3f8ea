//! Consent page.

use super::part::readable;
use super::{FormErrors, ScopeLine};
use askama::Template;
use domain::scope::ScopeSet;

/// Consent page (decisions 8).
#[derive(Clone, Template)]
#[template(path = "consent.html")]
pub(crate) struct Consent {
    /// Name of the app, chosen by its developer.
    pub(crate) app: String,
    /// Host of the redirect URI, registered by the operator.
    pub(crate) site: String,
    /// Address of the person who decides.
    pub(crate) email: String,
    /// Token of the browser's forms.
    pub(crate) form_token: String,
    /// Id of the authorization request.
    pub(crate) request: String,
    /// Requested scopes, all ticked at first.
    pub(crate) scopes: Vec<ScopeLine>,
    /// Scopes that the app already has; `None` if it has none.
    pub(crate) held: Option<ScopeSet>,
    pub(crate) errors: FormErrors,
}

impl Consent {
    fn held_words(&self) -> Option<String> {
        self.held.map(readable)
    }
}
