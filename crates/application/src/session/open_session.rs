//! Opens a session for a person who proved who they are. Shared by all ways to sign in.

use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::device::Device;
use domain::id::{AuditEventId, SessionId, UserId};
use domain::known_browser::known_browser_cookie;
use domain::secret::{Secret, SecretKind};
use domain::session::{AuthenticationMethod, Session};
use std::net::IpAddr;

/// Browser that signs in.
#[derive(Debug, Clone, Copy)]
pub struct SignInOrigin<'a> {
    /// The caller's IP address.
    pub address: IpAddr,
    /// Browser and platform, if the browser names itself.
    pub device: Option<Device>,
    /// Current session of this browser; the new one replaces it.
    pub replaces: Option<&'a Session>,
    /// Cookie of this browser for a sign-in that waits for its second step; a new sign-in replaces it.
    pub pending: Option<&'a Secret>,
}

/// A new session and its cookies, which are not stored in the clear.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// Session cookie.
    pub cookie: Secret,
    /// Long-lived cookie that gives this browser separate attempt counters; `None` if the account has no
    /// password.
    pub known_browser: Option<Secret>,
}

/// A person who proved who they are, in one browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProvenPerson<'a> {
    pub(crate) user_id: UserId,
    /// How they proved it.
    pub(crate) method: AuthenticationMethod,
    pub(crate) origin: SignInOrigin<'a>,
}

/// Opens a session with a new id and a new cookie (security.md T30) in place of the browser's current one,
/// and records the sign-in. Fails with `Retryable` if the account was locked or erased in the meantime. The
/// caller commits.
pub(crate) async fn open_session(
    tx: &mut dyn UnitOfWork,
    proven: ProvenPerson<'_>,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<SignedIn, StorageError> {
    let ProvenPerson { user_id, method: _, origin } = proven;
    if tx.active_user(user_id).await?.is_none() {
        return Err(StorageError::Retryable);
    }
    let signed_in = store_session(tx, proven, clock.now(), entropy).await?;
    let now = signed_in.session.authenticated_at;
    let event = |kind, user_id, id: SessionId| {
        AuditEvent::new(AuditEventId::from_uuid(entropy.uuid()), now, kind, AuditActor::Person)
            .user(user_id)
            .subject(id.as_uuid())
            .from(origin.address)
    };
    if let Some(Session { user_id, id, .. }) = origin.replaces
        && tx.sessions().delete(*user_id, *id).await?
    {
        tx.record(event(AuditKind::SignedOut, *user_id, *id)).await?;
    }
    end_pending(tx, origin).await?;
    tx.record(event(AuditKind::SignedIn, user_id, signed_in.session.id).device(origin.device)).await?;
    Ok(signed_in)
}

/// Ends the sign-in that waits in this browser.
pub(crate) async fn end_pending(
    tx: &mut dyn UnitOfWork,
    origin: SignInOrigin<'_>,
) -> Result<(), StorageError> {
    if let Some(cookie) = origin.pending {
        tx.pending_sign_ins().consume(&cookie.hash()).await?;
    }
    Ok(())
}

/// Stores a new session of a person who proved who they are at this time, and returns it with its cookies.
/// The caller has locked the user, and records why there is a new session.
pub(crate) async fn store_session(
    tx: &mut dyn UnitOfWork,
    proven: ProvenPerson<'_>,
    at: DateTime<Utc>,
    entropy: &dyn Entropy,
) -> Result<SignedIn, StorageError> {
    let ProvenPerson { user_id, method, origin } = proven;
    let cookie = Secret::from_bytes(SecretKind::Session, &entropy.secret_bytes());
    let session = Session {
        id: SessionId::from_uuid(entropy.uuid()),
        user_id,
        token_hash: cookie.hash(),
        method,
        authenticated_at: at,
        last_seen_at: at,
        first_seen_at: origin
            .replaces
            .filter(|session| session.user_id == user_id)
            .map_or(at, |session| session.first_seen_at),
        device: origin.device,
        address: Some(AddressBlock::containing(origin.address)),
    };
    tx.sessions().insert(&session).await?;
    let hash = tx.passwords().find(user_id).await?;
    let known_browser = hash.map(|hash| known_browser_cookie(user_id, &hash));
    Ok(SignedIn { session, cookie, known_browser })
}
