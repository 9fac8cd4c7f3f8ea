//! Lists the browsers in which a person is signed in.

use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use domain::id::UserId;
use domain::session::{Session, SessionLifetime};
use std::sync::Arc;

/// Lists sessions.
pub struct ListSessions {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    lifetime: SessionLifetime,
}

impl ListSessions {
    /// Takes the ports, and how long sessions last.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>, lifetime: SessionLifetime) -> Self {
        Self { units, clock, lifetime }
    }

    /// Returns the sessions that still count, the latest sign-in first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        let mut unit = self.units.begin().await?;
        let mut sessions = unit.sessions().list(user_id).await?;
        unit.rollback().await?;
        let now = self.clock.now();
        sessions.retain(|session| session.is_live(now, self.lifetime));
        Ok(sessions)
    }
}
