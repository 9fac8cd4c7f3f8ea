//! The addresses of pages that messages name.

use domain::secret::Secret;

/// Makes addresses under the public URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicLinks {
    base: String,
}

impl PublicLinks {
    /// Takes the public URL, with or without a slash at its end.
    pub fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').to_owned() }
    }

    /// Returns the public URL without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns where the holder of this link chooses a password. The address is as secret as the link.
    pub fn set_password(&self, link: &Secret) -> String {
        // The alphabet of secrets needs no encoding in a query.
        format!("{}/set-password?link={}", self.base, link.expose())
    }

    /// Returns where a person signs in.
    pub fn sign_in(&self) -> String {
        format!("{}/sign-in", self.base)
    }

    /// Returns where a person asks for a new password.
    pub fn forgot_password(&self) -> String {
        format!("{}/forgot-password", self.base)
    }
}
