//! Creates a session after authentication.

use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::id::{SessionId, UserId};
use domain::secret::{Secret, SecretKind};
use domain::session::{AuthenticationMethod, Session};

/// Creates a session with a new id and a new cookie (security.md T30).
pub(super) fn fresh_session(user_id: UserId, now: DateTime<Utc>, entropy: &dyn Entropy) -> (Session, Secret) {
    let cookie = Secret::from_bytes(SecretKind::Session, &entropy.secret_bytes());
    let session = Session {
        id: SessionId::from_uuid(entropy.uuid()),
        user_id,
        token_hash: cookie.hash(),
        method: AuthenticationMethod::Password,
        authenticated_at: now,
        last_seen_at: now,
    };
    (session, cookie)
}
