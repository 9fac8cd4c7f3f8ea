//! Forms that a browser stores while the person signs in again.

use crate::ports::system::FormSealer;
use derive_more::Constructor;
use domain::id::UserId;
use std::sync::Arc;

/// Encrypts kept forms, each for its own person.
#[derive(Constructor)]
pub struct KeptForms {
    sealer: Arc<dyn FormSealer>,
}

impl KeptForms {
    /// Encrypts the fields of a form as text for a cookie; `None` if encryption fails.
    pub fn keep(&self, user_id: UserId, fields: &str) -> Option<String> {
        self.sealer.seal(user_id, fields)
    }

    /// Returns the fields of a person's form; `None` if the text is another person's or was changed.
    pub fn open(&self, user_id: UserId, text: &str) -> Option<String> {
        self.sealer.open(user_id, text)
    }
}
