//! Lists a user's connected apps.

use crate::ports::storage::{ConnectedApp, ConnectedAppReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use std::sync::Arc;

/// Lists connected apps.
#[derive(Constructor)]
pub struct ListConnectedApps {
    apps: Arc<dyn ConnectedAppReader>,
}

impl ListConnectedApps {
    /// Returns the apps with live grants or a remembered consent of this user, by name.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError> {
        self.apps.list_connected_apps(user_id).await
    }
}
