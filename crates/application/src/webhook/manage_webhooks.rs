//! Creates, tests, rotates, replays and deletes endpoints.

use super::{WebhookActor, WebhookError};
use crate::audit;
use crate::ports::storage::WebhookReader;
use crate::ports::system::WebhookSigner;
use chrono::{DateTime, Utc};
use domain::audit::AuditKind;
use domain::id::{ClientId, UserId, WebhookEndpointId, WebhookSecretId};
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::user::Email;
use domain::webhook::{
    Delivery, EndpointStatus, EventKey, EventKind, MAX_ENDPOINTS, WebhookEndpoint, WebhookSecret,
};
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// Number of logged deliveries that a replay reads.
const MAX_REPLAYED: u32 = 100_000;

/// Input of [`ManageWebhooks::create`].
#[derive(Debug, Clone)]
pub struct CreateWebhookCommand {
    /// The client.
    pub client_id: ClientId,
    /// URL that events are posted to.
    pub url: OutboundUrl,
    /// Email address to notify if the endpoint is disabled.
    pub contact: Option<Email>,
    /// Actor of the creation.
    pub actor: WebhookActor,
    /// Policy on the hosts that the server may call.
    pub policy: OutboundPolicy,
}

/// A new endpoint and its secret, which is shown once.
#[derive(Debug)]
pub struct CreatedWebhook {
    /// The endpoint, not yet confirmed.
    pub endpoint: WebhookEndpoint,
    /// The secret.
    pub secret: WebhookSecret,
}

audit::use_case! {
    /// Creates and changes endpoints.
    ManageWebhooks { webhooks: Arc<dyn WebhookReader>, signer: Arc<dyn WebhookSigner> }
}

impl ManageWebhooks {
    /// Creates an endpoint and queues the challenge that confirms it, which a server sends within a second.
    pub async fn create(&self, command: CreateWebhookCommand) -> Result<CreatedWebhook, WebhookError> {
        let CreateWebhookCommand { client_id, url, contact, actor, policy } = command;
        if !policy.allows_url(&url) {
            return Err(WebhookError::Forbidden);
        }
        let now = self.trail.now();
        let id = WebhookEndpointId::from_uuid(self.trail.entropy.uuid());
        let secret = WebhookSecret::new(self.trail.entropy.secret_bytes());
        let endpoint = WebhookEndpoint {
            id,
            client_id,
            url,
            contact,
            status: EndpointStatus::Unconfirmed,
            is_reviewed: matches!(actor, WebhookActor::Operator),
            secret: self.signer.seal(id, &secret)?,
            previous_secret: None,
            created_at: now,
        };
        let mut unit = self.units.begin().await?;
        // Locks the client, so that endpoints can be counted.
        let refusal = match unit.clients().find(client_id).await? {
            None => Some(WebhookError::NoClient),
            Some(client) if !client.kind.is_app() => Some(WebhookError::ServiceClient),
            Some(_) => match unit.webhooks().list(client_id).await? {
                others if others.iter().any(|other| other.url == endpoint.url) => {
                    Some(WebhookError::UrlTaken)
                }
                others if others.len() >= MAX_ENDPOINTS => Some(WebhookError::TooMany),
                _ => None,
            },
        };
        if let Some(refusal) = refusal {
            return unit.refuse(refusal).await;
        }
        unit.webhooks().insert(&endpoint).await?;
        unit.webhooks()
            .queue(without_person(id, EventKind::EndpointChallenge), now.timestamp_micros())
            .await?;
        audit::commit(unit, &[actor.event(&self.trail, AuditKind::WebhookCreated, &endpoint)]).await?;
        Ok(CreatedWebhook { endpoint, secret })
    }

    /// Queues a test event, or a challenge if the endpoint is not active; returns which.
    pub async fn test(&self, id: WebhookEndpointId, actor: WebhookActor) -> Result<EventKind, WebhookError> {
        let mut unit = self.units.begin().await?;
        let endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        let kind = match endpoint.status {
            EndpointStatus::Active => EventKind::EndpointTest,
            EndpointStatus::Unconfirmed | EndpointStatus::Disabled { .. } => EventKind::EndpointChallenge,
        };
        unit.webhooks().queue(without_person(id, kind), self.trail.now().timestamp_micros()).await?;
        audit::commit(unit, &[actor.event(&self.trail, AuditKind::WebhookTested, &endpoint)]).await?;
        Ok(kind)
    }

    /// Returns a new secret. The previous one signs beside it for 24 hours. `current` is the secret that the
    /// caller saw, so that a repeated form creates nothing; `None` replaces any.
    pub async fn rotate(
        &self,
        id: WebhookEndpointId,
        current: Option<WebhookSecretId>,
        actor: WebhookActor,
    ) -> Result<WebhookSecret, WebhookError> {
        let mut unit = self.units.begin().await?;
        let mut endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        if current.is_some_and(|current| current != endpoint.secret.id()) {
            return unit.refuse(WebhookError::SecretChanged).await;
        }
        let secret = WebhookSecret::new(self.trail.entropy.secret_bytes());
        endpoint.rotate(self.signer.seal(id, &secret)?, self.trail.now());
        unit.webhooks().update(&endpoint).await?;
        audit::commit(unit, &[actor.event(&self.trail, AuditKind::WebhookSecretRotated, &endpoint)]).await?;
        Ok(secret)
    }

    /// Deletes an endpoint with its events and deliveries.
    pub async fn delete(&self, id: WebhookEndpointId, actor: WebhookActor) -> Result<(), WebhookError> {
        let mut unit = self.units.begin().await?;
        let endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        unit.webhooks().delete(id).await?;
        audit::commit(unit, &[actor.event(&self.trail, AuditKind::WebhookDeleted, &endpoint)]).await?;
        Ok(())
    }

    /// Notifies an endpoint again of the changes that it was notified of since `since`; returns the number of
    /// people. The cursors of the new messages include everything that the old ones announced.
    pub async fn replay(
        &self,
        id: WebhookEndpointId,
        since: DateTime<Utc>,
        actor: WebhookActor,
    ) -> Result<usize, WebhookError> {
        let mut earliest: HashMap<EventKey, (i64, DateTime<Utc>)> = HashMap::new();
        for Delivery { event, occurred_at, at, announced_before, .. } in
            self.webhooks.list_deliveries(id, MAX_REPLAYED).await?
        {
            if event.kind == EventKind::RecordsChanged && at >= since {
                let (announced, first) = earliest.entry(event).or_insert((announced_before, occurred_at));
                *announced = announced_before.min(*announced);
                *first = occurred_at.min(*first);
            }
        }
        let mut unit = self.units.begin().await?;
        let endpoint = unit.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
        for (event, (announced, occurred_at)) in &earliest {
            unit.webhooks().replay(*event, *announced, *occurred_at).await?;
        }
        let event = actor.event(&self.trail, AuditKind::WebhookReplayed, &endpoint);
        let people = u64::try_from(earliest.len()).unwrap_or(u64::MAX);
        audit::commit(unit, &[event.count(people)]).await?;
        Ok(earliest.len())
    }
}

/// Returns the key of an event that is about no person.
pub(super) const fn without_person(endpoint_id: WebhookEndpointId, kind: EventKind) -> EventKey {
    EventKey { user_id: UserId::from_uuid(Uuid::nil()), endpoint_id, kind }
}
