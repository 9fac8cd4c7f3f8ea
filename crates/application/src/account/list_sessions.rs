//! Lists the browsers in which a user is signed in.

use crate::ports::storage::{SessionReader, StorageError};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::id::UserId;
use domain::session::{Session, SessionLifetime};
use std::sync::Arc;

/// Lists sessions.
#[derive(Constructor)]
pub struct ListSessions {
    reader: Arc<dyn SessionReader>,
    clock: Arc<dyn Clock>,
    lifetime: SessionLifetime,
}

impl ListSessions {
    /// Returns the live sessions, latest sign-in first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        let mut sessions = self.reader.list_sessions(user_id).await?;
        let now = self.clock.now();
        sessions.retain(|session| session.is_live(now, self.lifetime));
        Ok(sessions)
    }
}
