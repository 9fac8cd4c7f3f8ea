//! Encryption of forms that a browser stores.

use domain::id::UserId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Encrypts submitted forms with the operator's key.
#[cfg_attr(feature = "test-support", automock)]
pub trait FormSealer: Send + Sync {
    /// Encrypts a form as text for a cookie, bound to its person; `None` if encryption fails.
    fn seal(&self, user_id: UserId, form: &str) -> Option<String>;
    /// Decrypts a person's form; `None` if the text is another person's or was changed.
    fn open(&self, user_id: UserId, text: &str) -> Option<String>;
}
