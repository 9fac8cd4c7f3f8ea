//! Approves an app that a person registered.

use crate::audit::{self, AuditTrail};
use crate::operator::ClientError;
use crate::ports::storage::UnitOfWorkFactory;
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::id::ClientId;
use std::sync::Arc;

/// Approves apps of developers.
pub struct ApproveClient {
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl ApproveClient {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, trail: AuditTrail::new(entropy, clock) }
    }

    /// Approves a client, which everyone can use from then on, and returns it. An approved one stays as it
    /// is.
    pub async fn run(&self, id: ClientId) -> Result<Client, ClientError> {
        let mut unit = self.units.begin().await?;
        let client = unit.clients().find(id).await?;
        let Some(client) = client else {
            unit.rollback().await?;
            return Err(ClientError::NotFound);
        };
        if !client.review.is_draft() {
            unit.rollback().await?;
            return Ok(client);
        }
        let approved = Client { review: client.review.approved(), ..client };
        unit.clients().update(&approved).await?;
        // Should the app become a draft again, the list starts again.
        unit.draft_users().clear(id).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::AppApproved).client(id);
        audit::commit(unit, &[event]).await?;
        Ok(approved)
    }
}
