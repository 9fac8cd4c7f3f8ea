//! An app that a person is connected with.

use chrono::{DateTime, Utc};
use domain::client::ClientName;
use domain::grant::UsedFrom;
use domain::id::ClientId;
use domain::scope::ScopeSet;

/// An app that holds live grants of a person, summed over them, or that the person's remembered consent lets through
/// without asking (security.md T34).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedApp {
    /// The app.
    pub client_id: ClientId,
    /// Its name.
    pub name: ClientName,
    /// What its live grants allow together; what the consent covers when it holds none.
    pub scopes: ScopeSet,
    /// How many live grants it holds: one a device or installation, usually; 0 for a remembered consent alone.
    pub grants: u32,
    /// When the oldest live grant was made; when the consent was remembered if there is none.
    pub since: DateTime<Utc>,
    /// When it last refreshed a live grant (to the hour) or read (to the minute), whichever is later; nothing while it
    /// never did.
    pub last_used_at: Option<DateTime<Utc>>,
    /// From where it last refreshed a live grant, as far as that was noted.
    pub last_used_from: Option<UsedFrom>,
    /// Whether the person told Restwell not to ask again.
    pub is_remembered: bool,
}
