//! Signs a person in, in one browser.

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

/// A session and whose it is: the key of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// Whose.
    pub user_id: UserId,
    /// Which.
    pub id: SessionId,
}

/// What somebody typed to sign in, or to confirm who they are.
#[derive(Clone, Copy)]
pub struct SignInCommand<'a> {
    /// The address of the account, as typed.
    pub email: &'a str,
    /// The password, as typed.
    pub password: &'a str,
    /// From where.
    pub address: IpAddr,
    /// What this browser keeps of an earlier sign-in, if anything.
    pub known_browser: Option<&'a Secret>,
    /// The session of this browser until now, which ends when the new one begins.
    pub replaces: Option<SessionKey>,
}

/// A new session, with the one chance to learn its cookie.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// What the browser keeps.
    pub cookie: Secret,
    /// What it keeps longer than the session, so that strangers who guess do not keep its person out.
    pub known_browser: Secret,
}

/// Signs people in. Confirming the password does the same: it makes a new session, which is fresh.
pub struct SignIn {
    checkpoint: PasswordCheckpoint,
}

impl SignIn {
    /// Takes the ports and the limits against guessing.
    pub fn new(ports: SignInPorts, limits: SignInLimits) -> Self {
        Self { checkpoint: PasswordCheckpoint::new(ports, limits) }
    }

    /// Returns the new session when the password is right. `Storage(Retryable)` when it was changed meanwhile.
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

    /// Hashes the password anew when its hash is weaker than those of today (security.md T86). What hinders it does
    /// not hinder the person: there is another sign-in.
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

/// Makes sure, inside the unit of work, that what was proven outside of it still stands: otherwise a reset that ran
/// meanwhile would end every session but the one that the old password is about to open.
pub(super) async fn still_proven(
    unit: &mut dyn UnitOfWork,
    proven: &ProvenPassword,
) -> Result<(), StorageError> {
    let is_active = unit.users().find(proven.user_id).await?.is_some_and(|user| user.status.is_active());
    let stored = unit.passwords().find(proven.user_id).await?;
    if is_active && stored.as_ref() == Some(&proven.hash) { Ok(()) } else { Err(StorageError::Retryable) }
}
