//! Signs a user in, in one browser.

use super::open_session::fresh_session;
use super::password_check::{PasswordAttempt, PasswordCheckpoint, ProvenPassword};
use super::{PasswordCheckError, SignInLimits, SignInPorts};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, SessionId, UserId};
use domain::known_browser::known_browser_cookie;
use domain::password::{Password, PasswordHash};
use domain::secret::Secret;
use domain::session::Session;
use std::net::IpAddr;

/// Primary key of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// Owner's id.
    pub user_id: UserId,
    /// The session's id.
    pub id: SessionId,
}

/// Input of [`SignIn`].
#[derive(Clone, Copy)]
pub struct SignInCommand<'a> {
    /// Email address of the account, as typed.
    pub email: &'a str,
    /// Password, as typed.
    pub password: &'a str,
    /// The caller's IP address.
    pub address: IpAddr,
    /// Known-browser cookie of an earlier sign-in, if any.
    pub known_browser: Option<&'a Secret>,
    /// Current session of this browser; the new one replaces it.
    pub replaces: Option<SessionKey>,
}

/// A new session and its cookies, which are not stored in the clear.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// Session cookie.
    pub cookie: Secret,
    /// Long-lived cookie that gives this browser separate attempt counters.
    pub known_browser: Secret,
}

/// Signs users in. Confirming a password is the same operation: it creates a new, fresh session.
pub struct SignIn {
    checkpoint: PasswordCheckpoint,
}

impl SignIn {
    /// Creates the use case with the sign-in limits.
    pub fn new(ports: SignInPorts, limits: SignInLimits) -> Self {
        Self { checkpoint: PasswordCheckpoint::new(ports, limits) }
    }

    /// Returns a new session if the password is correct. `Storage(Retryable)` if it was changed in the
    /// meantime.
    pub async fn run(&self, command: SignInCommand<'_>) -> Result<SignedIn, PasswordCheckError> {
        let SignInCommand { email, password, address, known_browser, replaces } = command;
        let password = Password::parse(password).map_err(|_| PasswordCheckError::InvalidForm)?;
        let attempt = PasswordAttempt { email, password: &password, address, owner: None, known_browser };
        let proven = self.checkpoint.check(attempt).await?;
        let better_hash = self.better_hash(&proven, &password).await;
        let ports = self.checkpoint.ports();
        let now = ports.clock.now();
        let (session, cookie) = fresh_session(proven.user_id, now, ports.entropy.as_ref());
        let mut unit = ports.units.begin().await?;
        still_proven(unit.as_mut(), &proven).await?;
        if let Some(better) = &better_hash {
            unit.passwords().rehash(proven.user_id, &proven.hash, better).await?;
        }
        unit.sessions().insert(&session).await?;
        let event = |kind, user_id, id: SessionId| {
            AuditEvent::new(AuditEventId::from_uuid(ports.entropy.uuid()), now, kind, AuditActor::Person)
                .user(user_id)
                .subject(id.as_uuid())
                .from(AddressBlock::containing(address))
        };
        if let Some(SessionKey { user_id, id }) = replaces
            && unit.sessions().delete(user_id, id).await?
        {
            unit.audit().append(&event(AuditKind::SignedOut, user_id, id)).await?;
        }
        unit.audit().append(&event(AuditKind::SignedIn, session.user_id, session.id)).await?;
        unit.commit().await?;
        let hash = better_hash.as_ref().unwrap_or(&proven.hash);
        Ok(SignedIn { session, cookie, known_browser: known_browser_cookie(proven.user_id, hash) })
    }

    /// Rehashes the password if its hash uses outdated parameters (security.md T86). An error is only logged:
    /// the next sign-in retries.
    async fn better_hash(&self, proven: &ProvenPassword, password: &Password) -> Option<PasswordHash> {
        if !proven.is_outdated {
            return None;
        }
        match self.checkpoint.ports().hasher.hash(password).await {
            Ok(hash) => Some(hash),
            Err(error) => {
                tracing::warn!(user_id = %proven.user_id, %error, "a weak password hash was kept until the next sign-in");
                None
            }
        }
    }
}

/// Verifies inside the unit of work that the checked hash is still the stored one. Otherwise a concurrent
/// reset would end every session except the one that the old password is about to open.
pub(super) async fn still_proven(
    unit: &mut dyn UnitOfWork,
    proven: &ProvenPassword,
) -> Result<(), StorageError> {
    let is_active = unit.users().find(proven.user_id).await?.is_some_and(|user| user.status.is_active());
    let stored = unit.passwords().find(proven.user_id).await?;
    if is_active && stored.as_ref() == Some(&proven.hash) { Ok(()) } else { Err(StorageError::Retryable) }
}
