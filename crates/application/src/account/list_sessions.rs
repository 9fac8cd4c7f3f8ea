//! Lists the browsers in which a user is signed in.

use crate::ports::storage::{SessionReader, StorageError};
use crate::ports::system::Clock;
use domain::id::UserId;
use domain::session::{Session, SessionLifetime};
use std::sync::Arc;

/// Lists sessions.
pub struct ListSessions {
    reader: Arc<dyn SessionReader>,
    clock: Arc<dyn Clock>,
    lifetime: SessionLifetime,
}

impl ListSessions {
    /// Creates the use case for this session lifetime.
    pub fn new(reader: Arc<dyn SessionReader>, clock: Arc<dyn Clock>, lifetime: SessionLifetime) -> Self {
        Self { reader, clock, lifetime }
    }

    /// Returns the live sessions, latest sign-in first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        let mut sessions = self.reader.list_sessions(user_id).await?;
        let now = self.clock.now();
        sessions.retain(|session| session.is_live(now, self.lifetime));
        Ok(sessions)
    }
}
