//! Apps connected to a user's account.

use chrono::{DateTime, Utc};
use domain::client::ClientName;
use domain::grant::UsedFrom;
use domain::id::ClientId;
use domain::scope::ScopeSet;

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
