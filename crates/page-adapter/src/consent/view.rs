//! Consent page.

use crate::view::{ScopeLine, readable};
use askama::Template;
use domain::scope::ScopeSet;

/// Consent page (decisions 8).
#[derive(Clone, Template)]
#[template(path = "consent/consent.html")]
pub(crate) struct Consent {
    /// Name of the app, chosen by its developer.
    pub(crate) app: String,
    /// Registered home page of the app.
    pub(crate) home_page: Option<String>,
    /// Registered privacy policy of the app.
    pub(crate) privacy_policy: Option<String>,
    /// Host of the redirect URI.
    pub(crate) site: String,
    /// Whether the app is a program on the person's computer, which cannot prove who it is.
    pub(crate) is_local: bool,
    /// Host of the document that describes the app; `None` for a registered app.
    pub(crate) metadata_host: Option<String>,
    /// Whether the operator has reviewed the app.
    pub(crate) is_reviewed: bool,
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
}

impl Consent {
    fn held_words(&self) -> Option<String> {
        self.held.map(readable)
    }
}
