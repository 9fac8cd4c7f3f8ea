//! One-time links with which a person chooses a password: a new account, a forgotten password, or a sign-up.

use crate::id::UserId;
use crate::secret::SecretHash;
use crate::user::Email;
use chrono::{DateTime, TimeDelta, Utc};

/// What a link is for, and how long it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasswordLinkPurpose {
    /// The operator made an account or wants a new password for it; lives three days.
    Invitation {
        /// Whose.
        user_id: UserId,
    },
    /// The person forgot the password; lives one hour.
    Reset {
        /// Whose.
        user_id: UserId,
    },
    /// Somebody who reads mail at this address wants an account; lives one day. The account is made when the
    /// link is used, so that nobody can take an address that is not theirs.
    SignUp {
        /// The address.
        email: Email,
    },
}

impl PasswordLinkPurpose {
    /// Returns how long such a link lives.
    pub const fn lifetime(&self) -> TimeDelta {
        match self {
            Self::Invitation { .. } => TimeDelta::days(3),
            Self::Reset { .. } => TimeDelta::hours(1),
            Self::SignUp { .. } => TimeDelta::days(1),
        }
    }

    /// Returns the account that the link belongs to; nothing for a sign-up.
    pub const fn user_id(&self) -> Option<UserId> {
        match self {
            Self::Invitation { user_id } | Self::Reset { user_id } => Some(*user_id),
            Self::SignUp { .. } => None,
        }
    }
}

/// A link that was handed out and not used yet; known by its hash only. Using it deletes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordLink {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// What it is for.
    pub purpose: PasswordLinkPurpose,
    /// From when on it counts no more.
    pub expires_at: DateTime<Utc>,
}

impl PasswordLink {
    /// Makes a link that lives as long as its purpose says.
    pub fn new(hash: SecretHash, purpose: PasswordLinkPurpose, now: DateTime<Utc>) -> Self {
        let expires_at = now + purpose.lifetime();
        Self { hash, purpose, expires_at }
    }

    /// Returns whether the link still counts.
    pub fn is_live(&self, now: DateTime<Utc>) -> bool {
        now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_reset_link_counts_for_one_hour() {
        let user_id = UserId::from_uuid(Uuid::nil());
        let now = DateTime::UNIX_EPOCH;
        let link =
            PasswordLink::new(SecretHash::from_bytes([1; 32]), PasswordLinkPurpose::Reset { user_id }, now);
        assert!(link.is_live(now + TimeDelta::seconds(3599)));
        assert!(!link.is_live(now + TimeDelta::seconds(3600)));
    }
}
