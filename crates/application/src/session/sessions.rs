//! Sessions: the browsers in which people are signed in.

use super::{AccountActor, SignedInPerson};
use crate::ports::storage::{SessionReader, SessionWithUser, StorageError, UnitOfWork};
use crate::store::{Store, transact};
use chrono::{DateTime, Utc};
use domain::audit::AuditKind;
use domain::id::{SessionId, UserId};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use domain::session::{Session, SessionLifetime};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// People's sessions.
#[derive(Clone)]
pub struct Sessions {
    /// The store.
    pub store: Store,
    /// Reader of sessions.
    pub reader: Arc<dyn SessionReader>,
    /// How long sessions live.
    pub lifetime: SessionLifetime,
    /// Whether people need a second factor.
    pub policy: SecondFactorPolicy,
    /// Whether a use is being recorded; clones share it.
    pub is_recording: Arc<AtomicBool>,
}

/// Numbers of what ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedSignIns {
    /// Sessions.
    pub sessions: u64,
    /// Unused password links.
    pub links: u64,
}

impl Sessions {
    /// Returns a user's live sessions, latest sign-in first.
    pub async fn list(&self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        let mut sessions = self.reader.list_sessions(user_id).await?;
        let now = self.store.now();
        sessions.retain(|session| session.is_live(now, self.lifetime));
        Ok(sessions)
    }

    /// Returns the user signed in with this cookie, who sends a request from this address; `None` if the
    /// cookie is malformed, the session has ended or does not satisfy the policy on second factors, or the
    /// account is locked.
    pub async fn resume(
        &self,
        cookie: &str,
        address: IpAddr,
    ) -> Result<Option<SignedInPerson>, StorageError> {
        let Ok(cookie) = Secret::parse(SecretKind::Session, cookie) else { return Ok(None) };
        let Some(found) = self.reader.find_session(&cookie.hash()).await? else { return Ok(None) };
        let SessionWithUser { session, email, user_status, home_timezone } = found;
        let now = self.store.now();
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
        let now = self.store.now();
        if !session.should_record_use(now) || self.is_recording.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Err(error) = self.store_use(session, now).await {
            tracing::warn!(%error, "the use of a session was not recorded");
        }
        self.is_recording.store(false, Ordering::Release);
    }

    async fn store_use(&self, session: &Session, now: DateTime<Utc>) -> Result<(), StorageError> {
        transact!(self.store, |tx| { tx.sessions().record_use(session.user_id, session.id, now).await }).await
    }

    /// Ends a session of the actor's user, and returns whether it existed.
    pub async fn end(&self, actor: AccountActor<'_>, id: SessionId) -> Result<bool, StorageError> {
        let user_id = actor.user_id();
        transact!(self.store, |tx| {
            // Locks the user: concurrent writes in this session finish first, or find it gone.
            tx.users().find(user_id).await?;
            let existed = tx.sessions().delete(user_id, id).await?;
            if existed {
                tx.record(actor.event(&self.store, AuditKind::SignedOut).subject(id.as_uuid())).await?;
            }
            Ok(existed)
        })
        .await
    }

    /// Ends all sessions of the actor's user except this one, and links to choose a password; `None` if there
    /// is no such user. Grants and personal access tokens stay valid.
    pub async fn end_all(
        &self,
        actor: AccountActor<'_>,
        except: Option<SessionId>,
    ) -> Result<Option<EndedSignIns>, StorageError> {
        let user_id = actor.user_id();
        transact!(self.store, |tx| {
            if tx.users().find(user_id).await?.is_none() {
                return Ok(None);
            }
            let ended = end_sign_ins(tx, user_id, except).await?;
            let event = actor.event(&self.store, AuditKind::SignedOutEverywhere);
            tx.record(event.count(ended.sessions)).await?;
            Ok(Some(ended))
        })
        .await
    }
}

/// Ends a user's sessions, pending sign-ins and unused links. The caller has locked the user.
pub(crate) async fn end_sign_ins(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    except: Option<SessionId>,
) -> Result<EndedSignIns, StorageError> {
    tx.pending_sign_ins().delete_of_user(user_id).await?;
    let links = tx.password_links().delete_of_user(user_id).await?;
    let sessions = tx.sessions().delete_of_user(user_id, except).await?;
    Ok(EndedSignIns { sessions, links })
}
