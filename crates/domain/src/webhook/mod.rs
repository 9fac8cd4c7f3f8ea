//! Webhooks: messages to clients that something changed, without the values (Standard Webhooks 1.0).

mod delivery;
mod endpoint;
mod event;
mod schedule;
mod secret;

pub use delivery::{Delivery, DeliveryResult};
pub use endpoint::{
    DisableReason, EndpointSecret, EndpointStatus, MAX_ENDPOINTS, SealedWebhookSecret, WebhookEndpoint,
};
pub use event::{EventKey, EventKind, MessageId};
pub use schedule::{MAX_ATTEMPTS, retry_delay};
pub use secret::WebhookSecret;
