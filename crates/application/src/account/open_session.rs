//! Makes the session of a browser in which somebody has just proved who they are.

use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::id::{SessionId, UserId};
use domain::secret::{Secret, SecretKind};
use domain::session::{AuthenticationMethod, Session};

/// Draws a session with an id and a cookie that no request ever carried (security.md T30).
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
