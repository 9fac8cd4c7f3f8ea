//! Sessions: the browsers in which people have signed in.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{SessionId, UserId};
use domain::secret::SecretHash;
use domain::session::Session;
use domain::time::TimeZone;
use domain::user::{Email, UserStatus};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A session together with what every page needs of its person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWithUser {
    /// The session, live or past its end.
    pub session: Session,
    /// The person's address, shown to them alone.
    pub email: Email,
    /// Whether the account can be used.
    pub user_status: UserStatus,
    /// The zone in which times are shown.
    pub home_timezone: TimeZone,
}

/// Reads sessions outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SessionReader: Send + Sync {
    /// Returns the session whose cookie has this hash, in one round trip; `None` if there is none. Runs on every page.
    async fn find_session(&self, hash: &SecretHash) -> Result<Option<SessionWithUser>, StorageError>;
    /// Lists a person's sessions, expired or not, the latest sign-in first, ties by id.
    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StorageError>;
}

/// Keeps sessions.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SessionRepository: Send {
    /// Stores a session of a person who exists; MUST fail with `Conflict(Session)` when its id or cookie is taken.
    async fn insert(&mut self, session: &Session) -> Result<(), StorageError>;
    /// Returns a session of this person, live or past its end, or nothing.
    async fn find(&mut self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StorageError>;
    /// Notes that a session is in use; a later moment than the stored one wins.
    async fn record_use(
        &mut self,
        user_id: UserId,
        id: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Deletes one session; returns whether it existed.
    async fn delete(&mut self, user_id: UserId, id: SessionId) -> Result<bool, StorageError>;
    /// Deletes all sessions of a person, but for `except` if named; returns how many.
    async fn delete_of_user(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<u64, StorageError>;
    /// Deletes sessions last seen before the first moment or signed in before the second, at most `limit`; returns
    /// how many.
    async fn delete_ended(
        &mut self,
        seen_before: DateTime<Utc>,
        authenticated_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
