//! Creates audit events and stores them with the changes that they describe.

use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use std::sync::Arc;

/// Creates events with an id and the current time.
#[derive(Clone)]
pub struct AuditTrail {
    pub(crate) entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl AuditTrail {
    /// Creates the use case.
    pub fn new(entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { entropy, clock }
    }

    /// Creates an event at the current time; the event's methods add the details.
    pub fn event(&self, actor: AuditActor, kind: AuditKind) -> AuditEvent {
        AuditEvent::new(AuditEventId::from_uuid(self.entropy.uuid()), self.clock.now(), kind, actor)
    }
}

/// Declares a use case that changes something and records it in the audit trail.
macro_rules! use_case {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        pub struct $name {
            units: std::sync::Arc<dyn $crate::ports::storage::UnitOfWorkFactory>,
            clock: std::sync::Arc<dyn $crate::ports::system::Clock>,
            trail: $crate::audit::AuditTrail,
        }

        impl $name {
            /// Creates the use case.
            pub fn new(
                units: std::sync::Arc<dyn $crate::ports::storage::UnitOfWorkFactory>,
                entropy: std::sync::Arc<dyn $crate::ports::system::Entropy>,
                clock: std::sync::Arc<dyn $crate::ports::system::Clock>,
            ) -> Self {
                let trail = $crate::audit::AuditTrail::new(entropy, clock.clone());
                Self { units, clock, trail }
            }
        }
    };
}
pub(crate) use use_case;

/// Appends events to the trail and commits the unit of work, which stores the change together with them.
pub async fn commit(mut unit: Box<dyn UnitOfWork>, events: &[AuditEvent]) -> Result<(), StorageError> {
    for event in events {
        unit.audit().append(event).await?;
    }
    unit.commit().await
}

/// Appends an event about a rejected request, in a separate unit of work.
///
/// An error is only logged: a different response would reveal what the rejection hides.
pub async fn append_refusal(units: &dyn UnitOfWorkFactory, event: &AuditEvent) {
    let appended = async { commit(units.begin().await?, std::slice::from_ref(event)).await }.await;
    if let Err(error) = appended {
        tracing::error!(kind = event.kind.as_str(), %error, "an event is missing from the audit trail");
    }
}
