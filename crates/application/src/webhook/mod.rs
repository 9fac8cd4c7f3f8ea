//! Webhooks: endpoints of clients, and notifying them of changes.

mod deliver_events;
mod disabled_notice;
mod event_message;
mod manage_webhooks;
mod receipt;

#[cfg(test)]
mod tests;

pub use deliver_events::{DeliverEvents, DeliveryOutcome, DeliveryPorts};
pub use disabled_notice::DisabledNotice;
pub use manage_webhooks::{CreateWebhookCommand, CreatedWebhook, ManageWebhooks};

use crate::audit::AuditTrail;
use crate::ports::storage::StorageError;
use crate::ports::system::WebhookSignerError;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::webhook::{MAX_ENDPOINTS, WebhookEndpoint};
use std::net::IpAddr;

/// Actor of a change to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookActor {
    /// The operator, for any client.
    Operator,
    /// The owner of the client, on a page. The caller MUST ensure that the client is theirs.
    Developer {
        /// The person.
        user_id: UserId,
        /// The caller's IP address.
        address: IpAddr,
    },
}

impl WebhookActor {
    fn event(self, trail: &AuditTrail, kind: AuditKind, endpoint: &WebhookEndpoint) -> AuditEvent {
        let event = match self {
            Self::Operator => trail.event(AuditActor::Operator, kind),
            Self::Developer { user_id, address } => {
                let event = trail.event(AuditActor::Person, kind);
                event.user(user_id).from(address)
            }
        };
        event.client(endpoint.client_id).subject(endpoint.id.as_uuid())
    }
}

/// Why a webhook is not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// No endpoint has this id.
    #[error("there is no webhook endpoint with this id")]
    NotFound,
    /// No client has this id.
    #[error("there is no client with this id")]
    NoClient,
    /// Nobody can grant access to a service client.
    #[error("a service client cannot have webhooks: people grant access to apps only")]
    ServiceClient,
    /// The policy does not allow this URL.
    #[error(
        "the server may not call this URL: it is an address of this machine or of a private network; see the setting \
         outbound.allow_private_networks"
    )]
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
    /// The encryption key does not open the stored secrets.
    #[error(transparent)]
    Signer(#[from] WebhookSignerError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
