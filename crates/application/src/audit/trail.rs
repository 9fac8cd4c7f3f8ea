//! Creates audit events and stores them with the changes that they describe.

use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
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

/// Declares a use case that changes something and records it in the audit trail, with any further ports.
macro_rules! use_case {
    ($(#[$about:meta])* $name:ident $({ $($port:ident: $type:ty),+ $(,)? })?) => {
        $(#[$about])*
        pub struct $name {
            units: std::sync::Arc<dyn $crate::ports::storage::UnitOfWorkFactory>,
            $($($port: $type,)+)?
            trail: $crate::audit::AuditTrail,
        }

        impl $name {
            /// Creates the use case.
            pub fn new(
                units: std::sync::Arc<dyn $crate::ports::storage::UnitOfWorkFactory>,
                $($($port: $type,)+)?
                entropy: std::sync::Arc<dyn $crate::ports::system::Entropy>,
                clock: std::sync::Arc<dyn $crate::ports::system::Clock>,
            ) -> Self {
                let trail = $crate::audit::AuditTrail::new(entropy, clock);
                Self { units, $($($port,)+)? trail }
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

/// Commits a change with its event, or rolls back if nothing changed; returns whether it committed.
pub(crate) async fn commit_if(
    is_changed: bool,
    unit: Box<dyn UnitOfWork>,
    event: AuditEvent,
) -> Result<bool, StorageError> {
    if is_changed {
        commit(unit, &[event]).await?;
    } else {
        unit.rollback().await?;
    }
    Ok(is_changed)
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
