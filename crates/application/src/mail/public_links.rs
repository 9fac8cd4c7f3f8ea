//! Links to pages in emails.

use domain::id::ClientId;
use domain::secret::Secret;

/// Builds links below the public URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicLinks {
    base: String,
    operator_name: Option<String>,
    operator_contact: Option<String>,
}

impl PublicLinks {
    /// Creates links for this public URL, with or without a trailing slash.
    pub fn new(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self { base, operator_name: None, operator_contact: None }
    }

    /// Adds the published name and contact of the operator.
    #[must_use]
    pub fn operated_by(self, name: Option<String>, contact: Option<String>) -> Self {
        Self { operator_name: name, operator_contact: contact, ..self }
    }

    /// Returns the public URL with the operator's name: `https://rest.example (Example Clinic)`.
    pub fn server(&self) -> String {
        let Self { base, operator_name, .. } = self;
        operator_name.as_ref().map_or_else(|| base.clone(), |name| format!("{base} ({name})"))
    }

    /// Returns the operator with their contact: `the operator (help@rest.example)`.
    pub fn operator(&self) -> String {
        let contact = self.operator_contact.as_ref();
        contact.map_or_else(|| "the operator".to_owned(), |contact| format!("the operator ({contact})"))
    }

    /// Returns the address of a password link. It is as secret as the link.
    pub fn set_password(&self, link: &Secret) -> String {
        // The alphabet of secrets needs no URL encoding.
        format!("{}/set-password?link={}", self.base, link.expose())
    }

    /// Returns the address of a link that confirms a new email address. It is as secret as the link.
    pub fn confirm_email(&self, link: &Secret) -> String {
        format!("{}/confirm-email?link={}", self.base, link.expose())
    }

    /// Returns the address of the sign-in page.
    pub fn sign_in(&self) -> String {
        format!("{}/sign-in", self.base)
    }

    /// Returns the address of the password reset page.
    pub fn forgot_password(&self) -> String {
        format!("{}/forgot-password", self.base)
    }

    /// Returns the address of the page with the webhook endpoints of a developer's app.
    pub fn webhooks(&self, client_id: ClientId) -> String {
        format!("{}/developer/webhooks/{client_id}", self.base)
    }
}
