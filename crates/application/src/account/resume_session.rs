//! Resolves the session cookie of a request.

use crate::ports::storage::{SessionReader, SessionWithUser, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use crate::store::Store;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use domain::session::{Session, SessionLifetime};
use domain::time::TimeZone;
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// The caller's IP address.
    pub address: IpAddr,
}

impl SignedInPerson {
    /// Creates an event of what this person does now; the event's methods add the details.
    pub(crate) fn event(&self, store: &Store, kind: AuditKind) -> AuditEvent {
        store.event(AuditActor::Person, kind).user(self.user_id).from(self.address)
    }
}

/// Finds the session of a cookie.
#[derive(Clone)]
pub struct ResumeSession {
    sessions: Arc<dyn SessionReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    lifetime: SessionLifetime,
    policy: SecondFactorPolicy,
    /// Whether a use is being recorded.
    is_recording: Arc<AtomicBool>,
}

impl ResumeSession {
    /// Creates the use case for this session lifetime and policy on second factors.
    pub fn new(
        sessions: Arc<dyn SessionReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        clock: Arc<dyn Clock>,
        lifetime: SessionLifetime,
        policy: SecondFactorPolicy,
    ) -> Self {
        Self { sessions, units, clock, lifetime, policy, is_recording: Arc::default() }
    }

    /// Returns the user signed in with this cookie, who sends a request from this address; `None` if the
    /// cookie is malformed, the session has ended or does not satisfy the policy on second factors, or the
    /// account is locked.
    pub async fn run(&self, cookie: &str, address: IpAddr) -> Result<Option<SignedInPerson>, StorageError> {
        let Ok(cookie) = Secret::parse(SecretKind::Session, cookie) else { return Ok(None) };
        let Some(found) = self.sessions.find_session(&cookie.hash()).await? else { return Ok(None) };
        let SessionWithUser { session, email, user_status, home_timezone } = found;
        let now = self.clock.now();
        let is_live = session.is_live(now, self.lifetime) && session.satisfies(self.policy);
        if !user_status.is_active() || !is_live {
            return Ok(None);
        }
        let (user_id, is_fresh) = (session.user_id, session.is_fresh(now));
        Ok(Some(SignedInPerson { user_id, email, home_timezone, session, cookie, is_fresh, address }))
    }

    /// Records the use of a session at most once a minute.
    ///
    /// Pages do not wait for this, because on SQLite it waits for the batch of an import. One use is recorded
    /// at a time; one that is skipped or fails only makes the session seem unused for longer.
    pub async fn record_use(&self, session: &Session) {
        let now = self.clock.now();
        if !session.should_record_use(now) || self.is_recording.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Err(error) = self.store_use(session, now).await {
            tracing::warn!(%error, "the use of a session was not recorded");
        }
        self.is_recording.store(false, Ordering::Release);
    }

    async fn store_use(&self, session: &Session, now: DateTime<Utc>) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        unit.sessions().record_use(session.user_id, session.id, now).await?;
        unit.commit().await
    }
}
