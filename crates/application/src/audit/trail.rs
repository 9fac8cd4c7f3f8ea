//! Events, made in one way and stored with what they tell about.

use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use std::sync::Arc;

/// Begins events: draws their ids and tells when they happened.
#[derive(Clone)]
pub struct AuditTrail {
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl AuditTrail {
    /// Creates the use case.
    pub fn new(entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { entropy, clock }
    }

    /// Begins an event of this moment; the event's own methods say what it is about.
    pub fn event(&self, actor: AuditActor, kind: AuditKind) -> AuditEvent {
        AuditEvent::new(AuditEventId::from_uuid(self.entropy.uuid()), self.clock.now(), kind, actor)
    }
}

/// Appends events to the trail and commits the unit of work: what was done and its trace are stored, or neither.
pub async fn commit(mut unit: Box<dyn UnitOfWork>, events: &[AuditEvent]) -> Result<(), StorageError> {
    for event in events {
        unit.audit().append(event).await?;
    }
    unit.commit().await
}

/// Appends an event about something that was refused, in a unit of work of its own.
///
/// A failure is logged and goes no further: the refusal stands, and an answer that differed would tell the caller
/// what the refusal hides.
pub async fn append_refusal(units: &dyn UnitOfWorkFactory, event: &AuditEvent) {
    let appended = async { commit(units.begin().await?, std::slice::from_ref(event)).await }.await;
    if let Err(error) = appended {
        tracing::error!(kind = event.kind.as_str(), %error, "an event is missing from the audit trail");
    }
}
