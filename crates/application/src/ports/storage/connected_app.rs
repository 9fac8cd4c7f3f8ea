//! Apps connected to a user's account.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::client::ClientName;
use domain::grant::UsedFrom;
use domain::id::{ClientId, UserId};
use domain::scope::ScopeSet;
#[cfg(feature = "test-support")]
use mockall::automock;

/// An app with live grants of a user, summed up, or with a remembered consent (security.md T34).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedApp {
    /// Id of the app.
    pub client_id: ClientId,
    /// Name of the app.
    pub name: ClientName,
    /// Union of the scopes of its live grants; those of the consent if there are none.
    pub scopes: ScopeSet,
    /// Number of live grants, usually one per device or installation; 0 for a remembered consent only.
    pub grants: u32,
    /// Creation time of the oldest live grant; of the consent if there are none.
    pub since: DateTime<Utc>,
    /// Last refresh of a live grant (to the hour) or last read (to the minute), whichever is later; `None` if
    /// there was neither.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Origin of the last refresh of a live grant, if recorded.
    pub last_used_from: Option<UsedFrom>,
    /// Whether the user chose to skip the consent page.
    pub is_remembered: bool,
    /// Whether the app has no secret.
    pub is_public: bool,
}

/// Reads a user's connected apps outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ConnectedAppReader: Send + Sync {
    /// Lists the apps with live grants or a remembered consent of this user, by name, ties by id.
    async fn list_connected_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError>;
    /// Returns the minute of the last read of each app up to the given time, in the same order, even for apps
    /// without access. `None` if it never read or the tally was deleted.
    async fn list_last_reads(
        &self,
        user_id: UserId,
        until: &[(ClientId, DateTime<Utc>)],
    ) -> Result<Vec<Option<DateTime<Utc>>>, StorageError>;
}
