//! Which events of the audit trail to read.

use chrono::{DateTime, Utc};
use domain::audit::AuditKind;
use domain::id::{AuditEventId, ClientId, UserId};

/// Which events are meant; what is not named matches all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Only about this person.
    pub user_id: Option<UserId>,
    /// Only about this client.
    pub client_id: Option<ClientId>,
    /// Only of these kinds.
    pub kinds: Option<&'static [AuditKind]>,
    /// Only at or after this moment.
    pub since: Option<DateTime<Utc>>,
}

/// Where a walk through the events goes on: after the event with this time and id.
pub type AuditPosition = (DateTime<Utc>, AuditEventId);
