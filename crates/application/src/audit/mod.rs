//! The audit trail: writing events, tallying reads, listing both, and deleting old ones.
//!
//! A use case that changes data stores its events in the same transaction, with `tx.record`.

mod daily_events;
mod flush_reads;
mod list_activity;
mod list_reads;
mod prune_audit;
mod read_recorder;
mod retention;

pub use crate::ports::storage::{AuditFilter, AuditPosition};
pub use daily_events::*;
pub use flush_reads::*;
pub use list_activity::*;
pub use list_reads::*;
pub use prune_audit::*;
pub use read_recorder::*;
pub use retention::*;

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

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
