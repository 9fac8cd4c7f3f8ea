//! Filters and positions in the audit trail.

use chrono::{DateTime, Utc};
use domain::audit::AuditKind;
use domain::id::{AuditEventId, ClientId, UserId};

/// Event filter; `None` or empty matches all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Events about this user.
    pub user_id: Option<UserId>,
    /// Events about this client.
    pub client_id: Option<ClientId>,
    /// Events of these kinds.
    pub kinds: Option<&'static [AuditKind]>,
    /// Events at or after this time.
    pub since: Option<DateTime<Utc>>,
}

/// Position in the audit trail, after the event with this time and id.
pub type AuditPosition = (DateTime<Utc>, AuditEventId);
