//! Creates audit events.

use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use std::sync::Arc;

/// Creates events with an id and the current time.
#[derive(Clone, Constructor)]
pub struct AuditTrail {
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl AuditTrail {
    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Creates an event at the current time; the event's methods add the details.
    pub fn event(&self, actor: AuditActor, kind: AuditKind) -> AuditEvent {
        AuditEvent::new(AuditEventId::from_uuid(self.entropy.uuid()), self.now(), kind, actor)
    }
}
