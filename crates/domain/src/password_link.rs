//! One-time links in emails: to choose a password (for a new account, a forgotten password, or a sign-up), or
//! to confirm a new address.

use crate::id::UserId;
use crate::secret::SecretHash;
use crate::user::Email;
use chrono::{DateTime, TimeDelta, Utc};

/// Purpose of a link, which determines its lifetime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasswordLinkPurpose {
    /// The operator created the account or requires a new password; valid for three days.
    Invitation {
        /// The account.
        user_id: UserId,
    },
    /// The person forgot the password; valid for one hour.
    Reset {
        /// The account.
        user_id: UserId,
    },
    /// Someone asked for an account with this address; valid for one day. The account is created when the
    /// link is used, so that another person's address cannot be claimed.
    SignUp {
        /// The address.
        email: Email,
    },
    /// The person asked to use this address for the account; valid for one hour. It sets no password.
    EmailChange {
        /// The account.
        user_id: UserId,
        /// The new address.
        email: Email,
    },
}

impl PasswordLinkPurpose {
    /// Returns the lifetime of the link.
    pub const fn lifetime(&self) -> TimeDelta {
        match self {
            Self::Invitation { .. } => TimeDelta::days(3),
            Self::Reset { .. } | Self::EmailChange { .. } => TimeDelta::hours(1),
            Self::SignUp { .. } => TimeDelta::days(1),
        }
    }

    /// Returns the account of the link; `None` for a sign-up.
    pub const fn user_id(&self) -> Option<UserId> {
        match self {
            Self::Invitation { user_id } | Self::Reset { user_id } | Self::EmailChange { user_id, .. } => {
                Some(*user_id)
            }
            Self::SignUp { .. } => None,
        }
    }
}

/// An unused link, stored as a hash. Using it deletes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordLink {
    /// Hash of the secret.
    pub hash: SecretHash,
    /// Purpose.
    pub purpose: PasswordLinkPurpose,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

impl PasswordLink {
    /// Creates a link with the lifetime of its purpose.
    pub fn new(hash: SecretHash, purpose: PasswordLinkPurpose, now: DateTime<Utc>) -> Self {
        let expires_at = now + purpose.lifetime();
        Self { hash, purpose, expires_at }
    }

    /// Returns whether the link is valid at this time.
    pub fn is_live(&self, now: DateTime<Utc>) -> bool {
        now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_reset_link_is_valid_for_one_hour() {
        let user_id = UserId::from_uuid(Uuid::nil());
        let now = DateTime::UNIX_EPOCH;
        let link =
            PasswordLink::new(SecretHash::from_bytes([1; 32]), PasswordLinkPurpose::Reset { user_id }, now);
        assert!(link.is_live(now + TimeDelta::seconds(3599)));
        assert!(!link.is_live(now + TimeDelta::seconds(3600)));
    }
}
