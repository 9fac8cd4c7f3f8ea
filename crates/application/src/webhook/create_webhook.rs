//! Creates an endpoint.

use super::{WebhookActor, WebhookError};
use crate::audit::{self, AuditTrail};
use crate::ports::storage::{EndpointInsertion, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, WebhookSigner};
use domain::audit::AuditKind;
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::user::Email;
use domain::webhook::{EndpointStatus, EventKey, EventKind, MAX_ENDPOINTS, WebhookEndpoint, WebhookSecret};
use std::sync::Arc;
use uuid::Uuid;

/// Input of [`CreateWebhook`].
#[derive(Debug, Clone)]
pub struct CreateWebhookCommand {
    /// The client.
    pub client_id: ClientId,
    /// Where events are posted.
    pub url: OutboundUrl,
    /// Who is notified if the endpoint is disabled.
    pub contact: Option<Email>,
    /// Who creates it.
    pub actor: WebhookActor,
    /// Which hosts the server may call.
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

/// Creates endpoints.
pub struct CreateWebhook {
    units: Arc<dyn UnitOfWorkFactory>,
    signer: Arc<dyn WebhookSigner>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl CreateWebhook {
    /// Creates the use case.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        signer: Arc<dyn WebhookSigner>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { units, signer, entropy, clock }
    }

    /// Creates an endpoint and queues the challenge that confirms it, which a server sends within a second.
    pub async fn run(&self, command: CreateWebhookCommand) -> Result<CreatedWebhook, WebhookError> {
        let CreateWebhookCommand { client_id, url, contact, actor, policy } = command;
        if !policy.allows_url(&url) {
            return Err(WebhookError::Forbidden);
        }
        let now = self.clock.now();
        let id = WebhookEndpointId::from_uuid(self.entropy.uuid());
        let secret = WebhookSecret::new(self.entropy.secret_bytes());
        let endpoint = WebhookEndpoint {
            id,
            client_id,
            url,
            contact,
            status: EndpointStatus::Unconfirmed,
            secret: self.signer.seal(id, &secret)?,
            previous_secret: None,
            created_at: now,
        };
        let mut unit = self.units.begin().await?;
        // Locks the client, so that endpoints can be counted.
        let refusal = match unit.clients().find(client_id).await? {
            None => Some(WebhookError::NoClient),
            Some(client) if !client.kind.is_app() => Some(WebhookError::ServiceClient),
            Some(_) => match unit.webhooks().insert(&endpoint, MAX_ENDPOINTS).await? {
                EndpointInsertion::Stored => None,
                EndpointInsertion::UrlTaken => Some(WebhookError::UrlTaken),
                EndpointInsertion::TooMany => Some(WebhookError::TooMany),
            },
        };
        if let Some(refusal) = refusal {
            unit.rollback().await?;
            return Err(refusal);
        }
        unit.webhooks().queue(about_nobody(id, EventKind::EndpointChallenge), now.timestamp_micros()).await?;
        let trail = AuditTrail::new(self.entropy.clone(), self.clock.clone());
        audit::commit(unit, &[actor.event(&trail, AuditKind::WebhookCreated, &endpoint)]).await?;
        Ok(CreatedWebhook { endpoint, secret })
    }
}

/// Returns the key of an event that is about no person.
pub(super) const fn about_nobody(endpoint_id: WebhookEndpointId, kind: EventKind) -> EventKey {
    EventKey { user_id: UserId::from_uuid(Uuid::nil()), endpoint_id, kind }
}
