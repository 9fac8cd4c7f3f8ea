//! Tests, rotates, replays and deletes endpoints.

use super::create_webhook::about_nobody;
use super::{WebhookActor, WebhookError};
use crate::audit::{self, AuditTrail};
use crate::ports::storage::{UnitOfWorkFactory, WebhookReader};
use crate::ports::system::{Clock, Entropy, WebhookSigner};
use chrono::{DateTime, Utc};
use domain::audit::{AuditEvent, AuditKind};
use domain::id::WebhookEndpointId;
use domain::webhook::{Delivery, EndpointStatus, EventKey, EventKind, WebhookEndpoint, WebhookSecret};
use std::collections::HashMap;
use std::sync::Arc;

/// Number of logged deliveries that a replay reads.
const MOST_REPLAYED: u32 = 100_000;

/// Changes endpoints.
pub struct ManageWebhooks {
    units: Arc<dyn UnitOfWorkFactory>,
    webhooks: Arc<dyn WebhookReader>,
    signer: Arc<dyn WebhookSigner>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl ManageWebhooks {
    /// Creates the use case.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        webhooks: Arc<dyn WebhookReader>,
        signer: Arc<dyn WebhookSigner>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { units, webhooks, signer, entropy, clock }
    }

    /// Queues a test event, or a challenge if the endpoint is not active; returns which.
    pub async fn test(&self, id: WebhookEndpointId) -> Result<EventKind, WebhookError> {
        let mut unit = self.units.begin().await?;
        let endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        let kind = match endpoint.status {
            EndpointStatus::Active => EventKind::EndpointTest,
            EndpointStatus::Unconfirmed | EndpointStatus::Disabled { .. } => EventKind::EndpointChallenge,
        };
        unit.webhooks().queue(about_nobody(id, kind), self.clock.now().timestamp_micros()).await?;
        unit.commit().await?;
        Ok(kind)
    }

    /// Returns a new secret. The previous one signs beside it for 24 hours.
    pub async fn rotate(
        &self,
        id: WebhookEndpointId,
        actor: WebhookActor,
    ) -> Result<WebhookSecret, WebhookError> {
        let mut unit = self.units.begin().await?;
        let mut endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        let secret = WebhookSecret::new(self.entropy.secret_bytes());
        endpoint.rotate(self.signer.seal(id, &secret)?, self.clock.now());
        unit.webhooks().update(&endpoint).await?;
        audit::commit(unit, &[self.event(&endpoint, actor, AuditKind::WebhookSecretRotated)]).await?;
        Ok(secret)
    }

    /// Deletes an endpoint with its events and deliveries.
    pub async fn delete(&self, id: WebhookEndpointId, actor: WebhookActor) -> Result<(), WebhookError> {
        let mut unit = self.units.begin().await?;
        let endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        unit.webhooks().delete(id).await?;
        audit::commit(unit, &[self.event(&endpoint, actor, AuditKind::WebhookDeleted)]).await?;
        Ok(())
    }

    /// Notifies an endpoint again of the changes that it was notified of since `since`; returns the number of
    /// people. The cursors of the new messages include everything that the old ones announced.
    pub async fn replay(&self, id: WebhookEndpointId, since: DateTime<Utc>) -> Result<usize, WebhookError> {
        let mut earliest: HashMap<EventKey, i64> = HashMap::new();
        for Delivery { event, at, announced_before, .. } in
            self.webhooks.list_deliveries(id, MOST_REPLAYED).await?
        {
            if event.kind == EventKind::RecordsChanged && at >= since {
                let announced = earliest.entry(event).or_insert(announced_before);
                *announced = announced_before.min(*announced);
            }
        }
        let mut unit = self.units.begin().await?;
        unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        for (event, announced) in &earliest {
            unit.webhooks().replay(*event, *announced).await?;
        }
        unit.commit().await?;
        Ok(earliest.len())
    }

    fn event(&self, endpoint: &WebhookEndpoint, actor: WebhookActor, kind: AuditKind) -> AuditEvent {
        let trail = AuditTrail::new(self.entropy.clone(), self.clock.clone());
        actor.event(&trail, kind, endpoint)
    }
}
