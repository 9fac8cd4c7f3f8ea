//! Lists a user's connected apps.

use crate::ports::storage::{ConnectedApp, ConnectedAppReader, StorageError};
use domain::id::UserId;
use std::sync::Arc;

/// Lists connected apps.
pub struct ListConnectedApps {
    apps: Arc<dyn ConnectedAppReader>,
}

impl ListConnectedApps {
    /// Creates the use case.
    pub fn new(apps: Arc<dyn ConnectedAppReader>) -> Self {
        Self { apps }
    }

    /// Returns the apps with live grants or a remembered consent of this user, by name.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError> {
        self.apps.list_connected_apps(user_id).await
    }
}
