//! Creates, tests, rotates, replays and deletes endpoints.

use super::{CreateWebhookError, CreatedWebhook, DeveloperWebhooks, WebhookActor, WebhookError, Webhooks};
use crate::client::AppDeveloper;
use crate::ports::storage::StorageError;
use crate::store::transact;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditKind;
use domain::id::{ClientId, UserId, WebhookEndpointId, WebhookSecretId};
use domain::outbound::OutboundUrl;
use domain::user::Email;
use domain::webhook::{
    Delivery, EndpointStatus, EventKey, EventKind, MAX_ENDPOINTS, WebhookEndpoint, WebhookSecret,
};
use std::collections::HashMap;
use uuid::Uuid;

/// Number of deliveries that are listed for each endpoint.
const LISTED_DELIVERIES: u32 = 20;

/// Number of logged deliveries that a replay reads.
const MAX_REPLAYED: u32 = 100_000;

impl Webhooks {
    /// Returns the endpoints of an app of this developer; `None` if there is no such app.
    pub async fn list(
        &self,
        owner: UserId,
        app: ClientId,
    ) -> Result<Option<DeveloperWebhooks>, StorageError> {
        let Some(found) = self.clients.find_own(owner, app).await? else { return Ok(None) };
        let mut endpoints = Vec::new();
        for endpoint in self.reader.list_endpoints(Some(app)).await? {
            let deliveries = self.reader.list_deliveries(endpoint.id, LISTED_DELIVERIES).await?;
            endpoints.push((endpoint, deliveries));
        }
        Ok(Some(DeveloperWebhooks { client: found.client, endpoints }))
    }

    /// Creates an endpoint of a developer's app; the sign-in must be fresh. It has no contact: the notice
    /// that it was disabled goes to the developer's current address.
    pub async fn create(
        &self,
        developer: AppDeveloper<'_>,
        url: OutboundUrl,
    ) -> Result<CreatedWebhook, WebhookError> {
        self.admit_creation(developer, &url).await?;
        let created = self.insert(WebhookActor::Developer(developer), developer.app, url, None).await;
        created.map_err(|error| match error {
            // A person registers apps only; this one has been deleted since.
            CreateWebhookError::NoClient | CreateWebhookError::ServiceClient => WebhookError::NotFound,
            CreateWebhookError::Endpoint(error) => error,
        })
    }

    /// Creates an endpoint of any client for the operator. `contact` is notified if it is disabled.
    pub async fn create_for_client(
        &self,
        client_id: ClientId,
        url: OutboundUrl,
        contact: Option<Email>,
    ) -> Result<CreatedWebhook, CreateWebhookError> {
        if !self.policy.allows_url(&url) {
            return Err(WebhookError::Forbidden.into());
        }
        self.insert(WebhookActor::Operator, client_id, url, contact).await
    }

    /// Stores an endpoint and queues the challenge that confirms it, which a server sends within a second.
    async fn insert(
        &self,
        actor: WebhookActor<'_>,
        client_id: ClientId,
        url: OutboundUrl,
        contact: Option<Email>,
    ) -> Result<CreatedWebhook, CreateWebhookError> {
        let now = self.store.now();
        let id = WebhookEndpointId::from_uuid(self.store.entropy().uuid());
        let secret = WebhookSecret::new(self.store.entropy().secret_bytes());
        let endpoint = WebhookEndpoint {
            id,
            client_id,
            url,
            contact,
            status: EndpointStatus::Unconfirmed,
            is_reviewed: matches!(actor, WebhookActor::Operator),
            secret: self.signer.seal(id, &secret).map_err(WebhookError::from)?,
            previous_secret: None,
            created_at: now,
        };
        transact!(self.store, |tx| {
            // Locks the client, so that endpoints can be counted.
            let client = tx.clients().find(client_id).await?.ok_or(CreateWebhookError::NoClient)?;
            if !client.kind.is_app() {
                return Err(CreateWebhookError::ServiceClient);
            }
            let others = tx.webhooks().list(client_id).await?;
            if others.iter().any(|other| other.url == endpoint.url) {
                return Err(WebhookError::UrlTaken.into());
            }
            if others.len() >= MAX_ENDPOINTS {
                return Err(WebhookError::TooMany.into());
            }
            tx.webhooks().insert(&endpoint).await?;
            let challenge = without_person(id, EventKind::EndpointChallenge);
            tx.webhooks().queue(challenge, now.timestamp_micros()).await?;
            tx.record(actor.event(&self.store, AuditKind::WebhookCreated, &endpoint)).await?;
            Ok(CreatedWebhook { endpoint, secret })
        })
        .await
    }

    /// Queues a test event, or a challenge if the endpoint is not active; returns which.
    pub async fn test(
        &self,
        actor: WebhookActor<'_>,
        id: WebhookEndpointId,
    ) -> Result<EventKind, WebhookError> {
        self.admit_sending(actor, id).await?;
        transact!(self.store, |tx| {
            let endpoint = tx.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
            let kind = match endpoint.status {
                EndpointStatus::Active => EventKind::EndpointTest,
                EndpointStatus::Unconfirmed | EndpointStatus::Disabled { .. } => EventKind::EndpointChallenge,
            };
            tx.webhooks().queue(without_person(id, kind), self.store.now().timestamp_micros()).await?;
            tx.record(actor.event(&self.store, AuditKind::WebhookTested, &endpoint)).await?;
            Ok(kind)
        })
        .await
    }

    /// Returns a new secret of an endpoint of a developer's app; the sign-in must be fresh. The previous
    /// secret also signs for 24 hours. `current` is the secret that the developer saw, so that a repeated
    /// form creates nothing.
    pub async fn rotate(
        &self,
        developer: AppDeveloper<'_>,
        id: WebhookEndpointId,
        current: WebhookSecretId,
    ) -> Result<WebhookSecret, WebhookError> {
        let actor = WebhookActor::Developer(developer);
        self.admit_change(actor, id).await?;
        self.replace_secret(actor, id, Some(current)).await
    }

    /// Returns a new secret of any client's endpoint for the operator, whatever the current one is.
    pub async fn rotate_for_client(&self, id: WebhookEndpointId) -> Result<WebhookSecret, WebhookError> {
        self.replace_secret(WebhookActor::Operator, id, None).await
    }

    async fn replace_secret(
        &self,
        actor: WebhookActor<'_>,
        id: WebhookEndpointId,
        current: Option<WebhookSecretId>,
    ) -> Result<WebhookSecret, WebhookError> {
        transact!(self.store, |tx| {
            let mut endpoint = tx.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
            if current.is_some_and(|current| current != endpoint.secret.id()) {
                return Err(WebhookError::SecretChanged);
            }
            let secret = WebhookSecret::new(self.store.entropy().secret_bytes());
            endpoint.rotate(self.signer.seal(id, &secret)?, self.store.now());
            tx.webhooks().update(&endpoint).await?;
            tx.record(actor.event(&self.store, AuditKind::WebhookSecretRotated, &endpoint)).await?;
            Ok(secret)
        })
        .await
    }

    /// Deletes an endpoint with its events and deliveries; a developer's sign-in must be fresh.
    pub async fn delete(&self, actor: WebhookActor<'_>, id: WebhookEndpointId) -> Result<(), WebhookError> {
        self.admit_change(actor, id).await?;
        transact!(self.store, |tx| {
            let endpoint = tx.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
            tx.webhooks().delete(id).await?;
            Ok(tx.record(actor.event(&self.store, AuditKind::WebhookDeleted, &endpoint)).await?)
        })
        .await
    }

    /// Notifies an endpoint again of the changes that it was notified of in this last period; returns the
    /// number of people. The cursors of the new messages include everything that the old ones announced.
    pub async fn replay(
        &self,
        actor: WebhookActor<'_>,
        id: WebhookEndpointId,
        last: TimeDelta,
    ) -> Result<usize, WebhookError> {
        self.admit_sending(actor, id).await?;
        let since = self.store.now() - last;
        let mut earliest: HashMap<EventKey, (i64, DateTime<Utc>)> = HashMap::new();
        for Delivery { event, occurred_at, at, announced_before, .. } in
            self.reader.list_deliveries(id, MAX_REPLAYED).await?
        {
            if event.kind == EventKind::RecordsChanged && at >= since {
                let (announced, first) = earliest.entry(event).or_insert((announced_before, occurred_at));
                *announced = announced_before.min(*announced);
                *first = occurred_at.min(*first);
            }
        }
        transact!(self.store, |tx| {
            let endpoint = tx.webhooks().find(id).await?.ok_or(WebhookError::NotFound)?;
            for (event, (announced, occurred_at)) in &earliest {
                tx.webhooks().replay(*event, *announced, *occurred_at).await?;
            }
            let event = actor.event(&self.store, AuditKind::WebhookReplayed, &endpoint);
            let people = u64::try_from(earliest.len()).unwrap_or(u64::MAX);
            tx.record(event.count(people)).await?;
            Ok(earliest.len())
        })
        .await
    }
}

/// Returns the key of an event that is about no person.
pub(super) const fn without_person(endpoint_id: WebhookEndpointId, kind: EventKind) -> EventKey {
    EventKey { user_id: UserId::from_uuid(Uuid::nil()), endpoint_id, kind }
}
