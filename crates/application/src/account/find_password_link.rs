//! Looks up the purpose of a one-time link without consuming it.

use crate::ports::storage::{PasswordLinkReader, PasswordLinkWithAccount, StorageError};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretKind};
use domain::user::Email;
use std::sync::Arc;

/// A usable password link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsablePasswordLink {
    /// Purpose of the link.
    pub purpose: PasswordLinkPurpose,
    /// Email address of the account, of the account to create, or the new address.
    pub email: Email,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

/// Looks up password links.
#[derive(Constructor)]
pub struct FindPasswordLink {
    links: Arc<dyn PasswordLinkReader>,
    clock: Arc<dyn Clock>,
}

impl FindPasswordLink {
    /// Returns a usable link; `None` if it is malformed, unknown, used or expired, or its account is locked.
    /// Changes nothing, because email programs prefetch links.
    pub async fn run(&self, link: &str) -> Result<Option<UsablePasswordLink>, StorageError> {
        let Ok(secret) = Secret::parse(SecretKind::PasswordLink, link) else { return Ok(None) };
        let found = self.links.find_password_link(&secret.hash()).await?;
        Ok(found.and_then(|found| usable(found, self.clock.now())))
    }
}

/// Returns the link if it is live and its account, if it has one, is active.
pub(super) fn usable(found: PasswordLinkWithAccount, now: DateTime<Utc>) -> Option<UsablePasswordLink> {
    let PasswordLinkWithAccount { link, account } = found;
    if !link.is_live(now) {
        return None;
    }
    let email = match &link.purpose {
        PasswordLinkPurpose::SignUp { email } => email.clone(),
        PasswordLinkPurpose::Invitation { .. } | PasswordLinkPurpose::Reset { .. } => {
            account.filter(|(_, status)| status.is_active())?.0
        }
        PasswordLinkPurpose::EmailChange { email, .. } => {
            account.filter(|(_, status)| status.is_active())?;
            email.clone()
        }
    };
    Some(UsablePasswordLink { purpose: link.purpose, email, expires_at: link.expires_at })
}
