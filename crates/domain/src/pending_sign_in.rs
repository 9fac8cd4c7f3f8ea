//! A sign-in between its two steps: the password is proven, the second factor is not.

use crate::id::UserId;
use crate::secret::SecretHash;
use chrono::{DateTime, TimeDelta, Utc};

crate::named_enum! {
    /// What the second step asks for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SecondStep {
        /// A code of the authenticator app, or a recovery code.
        Code = "code",
        /// Setting up a second factor, because the operator requires one and the person has none.
        SetUp = "set_up",
    }
}

impl SecondStep {
    /// Returns the time for the step. Setting up includes installing an app.
    pub const fn lifetime(self) -> TimeDelta {
        match self {
            Self::Code => TimeDelta::minutes(5),
            Self::SetUp => TimeDelta::minutes(20),
        }
    }
}

/// A sign-in that waits for its second step. Completing it deletes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSignIn {
    /// Hash of a cookie that the password step set: only this browser can complete the sign-in, and not one
    /// that knew its cookies before.
    pub cookie_hash: SecretHash,
    /// The person whose password was correct.
    pub user_id: UserId,
    /// Second step.
    pub step: SecondStep,
    /// Whether the person has signed in in this browser before; such browsers have separate attempt counters.
    pub is_known_browser: bool,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

impl PendingSignIn {
    /// Returns whether the sign-in can be completed at this time.
    pub fn is_live(&self, now: DateTime<Utc>) -> bool {
        now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_pending_sign_in_expires_after_five_minutes() {
        let now = DateTime::UNIX_EPOCH;
        let pending = PendingSignIn {
            cookie_hash: SecretHash::from_bytes([1; 32]),
            user_id: UserId::from_uuid(Uuid::nil()),
            step: SecondStep::Code,
            is_known_browser: false,
            expires_at: now + SecondStep::Code.lifetime(),
        };
        assert!(pending.is_live(now + TimeDelta::seconds(299)));
        assert!(!pending.is_live(now + TimeDelta::seconds(300)));
    }
}
