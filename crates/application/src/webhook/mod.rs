//! Webhooks: endpoints of clients, and notifying them of changes.

mod admission;
mod deliver_events;
mod disabled_notice;
mod endpoints;
mod event_message;
mod queue;
mod receipt;

#[cfg(test)]
mod tests;

pub use deliver_events::{DeliverEvents, DeliveryOutcome};
pub use disabled_notice::DisabledNotice;
pub use queue::DeliveryQueue;

use crate::attempt_limit::from_attempt_rejected;
use crate::client::AppDeveloper;
use crate::ports::storage::{ClientReader, FailureCounter, StorageError, WebhookReader};
use crate::ports::system::{WebhookSigner, WebhookSignerError};
use crate::store::Store;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::Client;
use domain::outbound::OutboundPolicy;
use domain::webhook::{Delivery, MAX_ENDPOINTS, WebhookEndpoint, WebhookSecret};
use std::sync::Arc;

/// Clients' webhook endpoints.
pub struct Webhooks {
    /// The store.
    pub store: Store,
    /// Reader of endpoints and deliveries.
    pub reader: Arc<dyn WebhookReader>,
    /// Reader of apps.
    pub clients: Arc<dyn ClientReader>,
    /// Counters of what developers ask to be sent.
    pub failures: Arc<dyn FailureCounter>,
    /// Seals secrets.
    pub signer: Arc<dyn WebhookSigner>,
    /// Policy on the hosts that the server may call.
    pub policy: OutboundPolicy,
}

/// Actor of a change to an endpoint.
#[derive(Debug, Clone, Copy)]
pub enum WebhookActor<'a> {
    /// The operator, for any client.
    Operator,
    /// A developer, for their app: an endpoint of another app is not found.
    Developer(AppDeveloper<'a>),
}

impl WebhookActor<'_> {
    fn event(self, store: &Store, kind: AuditKind, endpoint: &WebhookEndpoint) -> AuditEvent {
        let event = match self {
            Self::Operator => store.event(AuditActor::Operator, kind),
            Self::Developer(developer) => developer.person.event(store, kind),
        };
        event.client(endpoint.client_id).subject(endpoint.id.as_uuid())
    }
}

/// A new endpoint and its secret, which is shown once.
#[derive(Debug)]
pub struct CreatedWebhook {
    /// The endpoint, not yet confirmed.
    pub endpoint: WebhookEndpoint,
    /// The secret.
    pub secret: WebhookSecret,
}

/// Webhook endpoints of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeveloperWebhooks {
    /// The app.
    pub client: Client,
    /// Its endpoints by creation time, each with its latest deliveries, latest first.
    pub endpoints: Vec<(WebhookEndpoint, Vec<Delivery>)>,
}

/// Why a form about webhooks has no effect.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The developer must sign in again, because the last sign-in was over five minutes ago.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// No endpoint has this id, or the developer has registered no such app.
    #[error("there is no webhook endpoint with this id")]
    NotFound,
    /// The policy does not allow this URL.
    #[error("the server may not call this URL: it is an address of this machine or of a private network")]
    Forbidden,
    /// The client has an endpoint with this URL.
    #[error("the client already has a webhook endpoint with this URL")]
    UrlTaken,
    /// The client has [`MAX_ENDPOINTS`] endpoints.
    #[error("a client has at most {MAX_ENDPOINTS} webhook endpoints")]
    TooMany,
    /// The endpoint's secret is not the one that the caller saw.
    #[error("the secret of the webhook endpoint has changed")]
    SecretChanged,
    /// The developer asked for too many messages, or others did at the same host.
    #[error("too many webhook messages were asked for")]
    TooManyMessages {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The encryption key does not open the stored secrets.
    #[error(transparent)]
    Signer(#[from] WebhookSignerError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(WebhookError, TooManyMessages);

/// Why the operator's endpoint is not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateWebhookError {
    /// No client has this id.
    #[error("there is no client with this id")]
    NoClient,
    /// Nobody can grant access to a service client.
    #[error("a service client cannot have webhooks: people grant access to apps only")]
    ServiceClient,
    /// The endpoint is rejected, as it would be for a developer.
    #[error(transparent)]
    Endpoint(#[from] WebhookError),
}

impl From<StorageError> for CreateWebhookError {
    fn from(error: StorageError) -> Self {
        Self::Endpoint(error.into())
    }
}
