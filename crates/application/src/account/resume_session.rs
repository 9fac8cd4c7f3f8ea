//! Resolves the session cookie of a request.

use crate::ports::storage::{SessionReader, SessionWithUser, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::secret::{Secret, SecretKind};
use domain::session::{Session, SessionLifetime};
use domain::time::TimeZone;
use domain::user::Email;
use std::sync::Arc;

/// A signed-in user and their session.
#[derive(Debug, Clone)]
pub struct SignedInPerson {
    /// The user's id.
    pub user_id: UserId,
    /// Their email address; shown only to them.
    pub email: Email,
    /// Time zone in which times are displayed.
    pub home_timezone: TimeZone,
    /// Session of this browser.
    pub session: Session,
    /// Session cookie, from which form tokens are derived.
    pub cookie: Secret,
    /// Whether the user authenticated within [`domain::session::FRESH_SECONDS`].
    pub is_fresh: bool,
}

/// Finds the session of a cookie.
pub struct ResumeSession {
    sessions: Arc<dyn SessionReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    lifetime: SessionLifetime,
}

impl ResumeSession {
    /// Creates the use case for this session lifetime.
    pub fn new(
        sessions: Arc<dyn SessionReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        clock: Arc<dyn Clock>,
        lifetime: SessionLifetime,
    ) -> Self {
        Self { sessions, units, clock, lifetime }
    }

    /// Returns the user signed in with this cookie; `None` if the cookie is malformed, the session has ended,
    /// or the account is locked. Records the use at most once a minute.
    pub async fn run(&self, cookie: &str) -> Result<Option<SignedInPerson>, StorageError> {
        let Ok(cookie) = Secret::parse(SecretKind::Session, cookie) else { return Ok(None) };
        let Some(found) = self.sessions.find_session(&cookie.hash()).await? else { return Ok(None) };
        let SessionWithUser { session, email, user_status, home_timezone } = found;
        let now = self.clock.now();
        if !user_status.is_active() || !session.is_live(now, self.lifetime) {
            return Ok(None);
        }
        if session.should_record_use(now)
            && let Err(error) = self.record_use(&session, now).await
        {
            // Not fatal: the session only seems unused for a minute longer.
            tracing::warn!(%error, "could not note that a session is in use");
        }
        let (user_id, is_fresh) = (session.user_id, session.is_fresh(now));
        Ok(Some(SignedInPerson { user_id, email, home_timezone, session, cookie, is_fresh }))
    }

    async fn record_use(&self, session: &Session, now: DateTime<Utc>) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        unit.sessions().record_use(session.user_id, session.id, now).await?;
        unit.commit().await
    }
}
