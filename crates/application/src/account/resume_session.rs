//! Tells whose browser a request comes from.

use crate::ports::storage::{SessionReader, SessionWithUser, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::secret::{Secret, SecretKind};
use domain::session::{Session, SessionLifetime};
use domain::time::TimeZone;
use domain::user::Email;
use std::sync::Arc;

/// A person who is signed in, in one browser.
#[derive(Debug, Clone)]
pub struct SignedInPerson {
    /// Who.
    pub user_id: UserId,
    /// Their address, shown to them alone.
    pub email: Email,
    /// The zone in which they read times.
    pub home_timezone: TimeZone,
    /// The session of this browser.
    pub session: Session,
    /// Its cookie, from which the tokens of forms are derived.
    pub cookie: Secret,
    /// Whether they proved who they are within the last minutes ([`domain::session::FRESH_SECONDS`]).
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
    /// Takes the ports, and how long sessions last.
    pub fn new(
        sessions: Arc<dyn SessionReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        clock: Arc<dyn Clock>,
        lifetime: SessionLifetime,
    ) -> Self {
        Self { sessions, units, clock, lifetime }
    }

    /// Returns who is signed in with this cookie; nobody when it is no cookie of ours, the session ended, or the
    /// account is locked. Notes the use at most once a minute.
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
            // The page can do without; the session only seems unused for a minute longer.
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
