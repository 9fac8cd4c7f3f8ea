//! Webhook endpoints of a developer's app.

use super::{AppCommand, DeveloperAppError, read_own};
use crate::attempt_limit::{AttemptLimit, count_attempt, failure_key};
use crate::ports::storage::{ClientReader, FailureCounter, StorageError, WebhookReader};
use crate::ports::system::Clock;
use crate::webhook::{CreateWebhookCommand, CreatedWebhook, ManageWebhooks, WebhookActor, WebhookError};
use chrono::TimeDelta;
use derive_more::Constructor;
use domain::client::Client;
use domain::id::{ClientId, UserId, WebhookEndpointId, WebhookSecretId};
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::webhook::{Delivery, EventKind, WebhookEndpoint, WebhookSecret};
use std::sync::Arc;

/// Number of deliveries that are listed for each endpoint.
const LISTED_DELIVERIES: u32 = 20;

const TEN_MINUTES: u32 = 600;
/// Limits on what developers ask to be sent: challenges, tests and replays. Strangers' servers may receive
/// it.
const PER_ENDPOINT: AttemptLimit = AttemptLimit { attempts: 10, window_seconds: TEN_MINUTES };
const PER_DEVELOPER: AttemptLimit = AttemptLimit { attempts: 30, window_seconds: TEN_MINUTES };
/// Of all developers together; above the limit of one, who could otherwise block a host that others use.
const PER_HOST: AttemptLimit = AttemptLimit { attempts: 60, window_seconds: TEN_MINUTES };

/// Dependencies of [`AppWebhooks`].
pub struct AppWebhookPorts {
    /// Apps.
    pub clients: Arc<dyn ClientReader>,
    /// Endpoints and deliveries.
    pub webhooks: Arc<dyn WebhookReader>,
    /// Counters of what developers ask to be sent.
    pub failures: Arc<dyn FailureCounter>,
    /// Creates and changes endpoints.
    pub manage: ManageWebhooks,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Policy on the hosts that the server may call.
    pub policy: OutboundPolicy,
}

/// Webhook endpoints of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeveloperWebhooks {
    /// The app.
    pub client: Client,
    /// Its endpoints by creation time, each with its latest deliveries, latest first.
    pub endpoints: Vec<(WebhookEndpoint, Vec<Delivery>)>,
}

/// Shows and changes the webhook endpoints of developers' apps. An endpoint of another app is not found.
///
/// Endpoints have no contact: the notice that one was disabled goes to the owner's current address.
#[derive(Constructor)]
pub struct AppWebhooks {
    pub(super) ports: AppWebhookPorts,
}

impl AppWebhooks {
    /// Returns the endpoints of an app of this developer; `None` if there is no such app.
    pub async fn list(&self, owner: UserId, id: ClientId) -> Result<Option<DeveloperWebhooks>, StorageError> {
        let AppWebhookPorts { clients, webhooks, .. } = &self.ports;
        let Some(found) = read_own(clients.as_ref(), owner, id).await? else { return Ok(None) };
        let mut endpoints = Vec::new();
        for endpoint in webhooks.list_endpoints(Some(id)).await? {
            let deliveries = webhooks.list_deliveries(endpoint.id, LISTED_DELIVERIES).await?;
            endpoints.push((endpoint, deliveries));
        }
        Ok(Some(DeveloperWebhooks { client: found.client, endpoints }))
    }

    /// Creates an endpoint, whose challenge is sent next; the session must be fresh.
    pub async fn create(
        &self,
        command: AppCommand<'_>,
        url: OutboundUrl,
    ) -> Result<CreatedWebhook, DeveloperAppError> {
        self.check_fresh(command)?;
        self.check_app(command).await?;
        let policy = self.ports.policy.for_unreviewed();
        if !policy.allows_url(&url) {
            return Err(WebhookError::Forbidden.into());
        }
        self.count_sending(command, None, &url).await?;
        let create =
            CreateWebhookCommand { client_id: command.id, url, contact: None, actor: actor(command), policy };
        Ok(self.ports.manage.create(create).await?)
    }

    /// Returns a new secret of an endpoint; the session must be fresh. `current` is the secret that the
    /// person saw: a form that is sent again creates nothing.
    pub async fn rotate(
        &self,
        command: AppCommand<'_>,
        endpoint: WebhookEndpointId,
        current: WebhookSecretId,
    ) -> Result<WebhookSecret, DeveloperAppError> {
        self.check_fresh(command)?;
        self.check_endpoint(command, endpoint).await?;
        Ok(self.ports.manage.rotate(endpoint, Some(current), actor(command)).await?)
    }

    /// Queues a test event, or a challenge if the endpoint is not active; returns which.
    pub async fn test(
        &self,
        command: AppCommand<'_>,
        endpoint: WebhookEndpointId,
    ) -> Result<EventKind, DeveloperAppError> {
        let url = self.check_endpoint(command, endpoint).await?;
        self.count_sending(command, Some(endpoint), &url).await?;
        Ok(self.ports.manage.test(endpoint, actor(command)).await?)
    }

    /// Sends an endpoint the changes again that it was notified of in this last period.
    pub async fn replay(
        &self,
        command: AppCommand<'_>,
        endpoint: WebhookEndpointId,
        last: TimeDelta,
    ) -> Result<usize, DeveloperAppError> {
        let url = self.check_endpoint(command, endpoint).await?;
        self.count_sending(command, Some(endpoint), &url).await?;
        let since = self.ports.clock.now() - last;
        Ok(self.ports.manage.replay(endpoint, since, actor(command)).await?)
    }

    /// Deletes an endpoint with its events and deliveries; the session must be fresh.
    pub async fn delete(
        &self,
        command: AppCommand<'_>,
        endpoint: WebhookEndpointId,
    ) -> Result<(), DeveloperAppError> {
        self.check_fresh(command)?;
        self.check_endpoint(command, endpoint).await?;
        Ok(self.ports.manage.delete(endpoint, actor(command)).await?)
    }

    fn check_fresh(&self, command: AppCommand<'_>) -> Result<(), DeveloperAppError> {
        if command.session.is_fresh(self.ports.clock.now()) {
            Ok(())
        } else {
            Err(DeveloperAppError::NotFresh)
        }
    }

    async fn check_app(&self, command: AppCommand<'_>) -> Result<(), DeveloperAppError> {
        let found = read_own(self.ports.clients.as_ref(), command.session.user_id, command.id).await?;
        found.map(drop).ok_or(DeveloperAppError::NotFound)
    }

    /// Returns the URL of an endpoint of the app.
    async fn check_endpoint(
        &self,
        command: AppCommand<'_>,
        endpoint: WebhookEndpointId,
    ) -> Result<OutboundUrl, DeveloperAppError> {
        self.check_app(command).await?;
        let endpoints = self.ports.webhooks.list_endpoints(Some(command.id)).await?;
        let found = endpoints.into_iter().find(|one| one.id == endpoint);
        found.map(|endpoint| endpoint.url).ok_or_else(|| WebhookError::NotFound.into())
    }

    /// Counts a message, or a replay, that the developer asks for; a new endpoint has no id yet.
    async fn count_sending(
        &self,
        command: AppCommand<'_>,
        endpoint: Option<WebhookEndpointId>,
        url: &OutboundUrl,
    ) -> Result<(), DeveloperAppError> {
        let (endpoint, developer) =
            (endpoint.map(|id| id.to_string()).unwrap_or_default(), command.session.user_id.to_string());
        let now = self.ports.clock.now();
        for (kind, subject, limit) in [
            ("webhook/endpoint", endpoint.as_str(), PER_ENDPOINT),
            ("webhook/developer", &developer, PER_DEVELOPER),
            ("webhook/host", url.host(), PER_HOST),
        ] {
            if !subject.is_empty() {
                count_attempt(&*self.ports.failures, failure_key(&[kind, subject]), limit, now).await?;
            }
        }
        Ok(())
    }
}

const fn actor(command: AppCommand<'_>) -> WebhookActor {
    WebhookActor::Developer { user_id: command.session.user_id, address: command.address }
}
