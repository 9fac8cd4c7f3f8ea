//! Browser sessions, kept on the server (security.md T30, T31).

use crate::address::AddressBlock;
use crate::device::Device;
use crate::id::{SessionId, UserId};
use crate::second_factor::SecondFactorPolicy;
use crate::secret::SecretHash;
use chrono::{DateTime, TimeDelta, Utc};

/// Maximum age of a fresh sign-in in seconds, which is required to create a personal access token or change
/// the password.
pub const FRESH_SECONDS: i64 = 300;

/// Minimum interval between two writes of a session's last use, in seconds.
pub const LAST_SEEN_RESOLUTION_SECONDS: i64 = 60;

/// Lifetime of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLifetime {
    /// Maximum time without a request.
    pub idle: TimeDelta,
    /// Maximum time since the sign-in.
    pub absolute: TimeDelta,
}

impl Default for SessionLifetime {
    /// One day without use, thirty days in total.
    fn default() -> Self {
        Self { idle: TimeDelta::days(1), absolute: TimeDelta::days(30) }
    }
}

crate::named_enum! {
    /// How a person signed in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AuthenticationMethod {
        /// Password only.
        Password = "password",
        /// Password, then a code of the authenticator app.
        PasswordAndTotp = "password+totp",
        /// Password, then a recovery code.
        PasswordAndRecoveryCode = "password+recovery_code",
        /// A passkey that verified the person; counts as both factors.
        Passkey = "passkey",
    }
}

impl AuthenticationMethod {
    /// Returns whether two factors were proven.
    pub const fn has_second_factor(self) -> bool {
        !matches!(self, Self::Password)
    }
}

/// A signed-in browser; its cookie is stored as a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The person.
    pub user_id: UserId,
    /// Hash of the cookie.
    pub token_hash: SecretHash,
    /// How the person signed in.
    pub method: AuthenticationMethod,
    /// Time of the sign-in. Confirming the password creates a new session, so this is also the last
    /// confirmation.
    pub authenticated_at: DateTime<Utc>,
    /// Last use, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// Time of the first sign-in in this browser since it was last signed out.
    pub first_seen_at: DateTime<Utc>,
    /// Browser and platform at the sign-in; `None` if the browser did not name itself.
    pub device: Option<Device>,
    /// Network of the sign-in; `None` for a session of an older program.
    pub address: Option<AddressBlock>,
}

impl Session {
    /// Returns whether the session is valid at this time.
    pub fn is_live(&self, now: DateTime<Utc>, lifetime: SessionLifetime) -> bool {
        now - self.last_seen_at < lifetime.idle && now - self.authenticated_at < lifetime.absolute
    }

    /// Returns whether the session satisfies the operator's policy.
    pub const fn satisfies(&self, policy: SecondFactorPolicy) -> bool {
        match policy {
            SecondFactorPolicy::Optional => true,
            SecondFactorPolicy::Required => self.method.has_second_factor(),
        }
    }

    /// Returns whether the sign-in was within the last [`FRESH_SECONDS`].
    pub fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        now - self.authenticated_at < TimeDelta::seconds(FRESH_SECONDS)
    }

    /// Returns whether to write a use at this time.
    pub fn should_record_use(&self, now: DateTime<Utc>) -> bool {
        now - self.last_seen_at >= TimeDelta::seconds(LAST_SEEN_RESOLUTION_SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn session(authenticated_at: DateTime<Utc>, last_seen_at: DateTime<Utc>) -> Session {
        Session {
            id: SessionId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            token_hash: SecretHash::from_bytes([0; 32]),
            method: AuthenticationMethod::Password,
            authenticated_at,
            last_seen_at,
            first_seen_at: authenticated_at,
            device: None,
            address: None,
        }
    }

    #[test]
    fn only_a_session_with_two_factors_satisfies_a_policy_that_requires_them() {
        let start = DateTime::UNIX_EPOCH;
        for method in AuthenticationMethod::ALL {
            let session = Session { method, ..session(start, start) };
            assert!(session.satisfies(SecondFactorPolicy::Optional));
            let is_strong = method != AuthenticationMethod::Password;
            assert_eq!(session.satisfies(SecondFactorPolicy::Required), is_strong, "{method:?}");
        }
    }

    #[test]
    fn a_session_ends_when_it_is_idle_for_a_day_and_after_thirty_days_in_any_case() {
        let (start, lifetime) = (DateTime::UNIX_EPOCH, SessionLifetime::default());
        let second = TimeDelta::seconds(1);
        let unused = session(start, start);
        assert!(unused.is_live(start + TimeDelta::days(1) - second, lifetime));
        assert!(!unused.is_live(start + TimeDelta::days(1), lifetime));
        let end = start + TimeDelta::days(30);
        let busy = session(start, end - second);
        assert!(busy.is_live(end - second, lifetime));
        assert!(!busy.is_live(end, lifetime));
    }

    #[test]
    fn a_sign_in_is_fresh_for_five_minutes() {
        let start = DateTime::UNIX_EPOCH;
        let session = session(start, start);
        assert!(session.is_fresh(start + TimeDelta::seconds(299)));
        assert!(!session.is_fresh(start + TimeDelta::seconds(300)));
    }

    #[test]
    fn use_is_written_at_most_once_a_minute() {
        let start = DateTime::UNIX_EPOCH;
        let session = session(start, start);
        assert!(!session.should_record_use(start + TimeDelta::seconds(59)));
        assert!(session.should_record_use(start + TimeDelta::seconds(60)));
    }
}
