//! Browser sessions.

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

/// A session with the user data that every page needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWithUser {
    /// The session, live or expired.
    pub session: Session,
    /// The user's email address; shown only to them.
    pub email: Email,
    /// Status of the account.
    pub user_status: UserStatus,
    /// Time zone in which times are displayed.
    pub home_timezone: TimeZone,
}

/// Reads sessions outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SessionReader: Send + Sync {
    /// Returns the session whose cookie has this hash, in one round trip; `None` if there is none. Runs on
    /// every page.
    async fn find_session(&self, hash: &SecretHash) -> Result<Option<SessionWithUser>, StorageError>;
    /// Lists a user's sessions, expired or not, latest sign-in first, ties by id.
    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StorageError>;
}

/// Stores sessions.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SessionRepository: Send {
    /// Stores a session of an existing user; MUST fail with `Conflict(Session)` if its id or cookie is taken.
    async fn insert(&mut self, session: &Session) -> Result<(), StorageError>;
    /// Returns a session of this user, live or expired; `None` if there is none.
    async fn find(&mut self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StorageError>;
    /// Records the last use of a session; the later time wins.
    async fn record_use(
        &mut self,
        user_id: UserId,
        id: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Deletes one session; returns whether it existed.
    async fn delete(&mut self, user_id: UserId, id: SessionId) -> Result<bool, StorageError>;
    /// Deletes all sessions of a user except `except`; returns their number.
    async fn delete_of_user(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<u64, StorageError>;
    /// Deletes at most `limit` sessions last seen before `seen_before` or signed in before
    /// `authenticated_before`; returns their number.
    async fn delete_ended(
        &mut self,
        seen_before: DateTime<Utc>,
        authenticated_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
