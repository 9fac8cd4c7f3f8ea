//! Links to pages in emails.

use domain::id::ClientId;
use domain::secret::Secret;

/// Builds links below the public URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicLinks {
    base: String,
}

impl PublicLinks {
    /// Creates links for this public URL, with or without a trailing slash.
    pub fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').to_owned() }
    }

    /// Returns the public URL without a trailing slash.
    pub fn base(&self) -> &str {
        &self.base
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
