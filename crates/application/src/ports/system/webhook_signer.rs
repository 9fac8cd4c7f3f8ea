//! Secrets and signatures of webhooks.

use domain::id::WebhookEndpointId;
use domain::webhook::{SealedWebhookSecret, WebhookSecret};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A secret could not be sealed, or does not open with the configured key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret cannot be sealed or opened with the configured keys.encryption_key")]
pub struct WebhookSignerError;

/// Seals the secrets of endpoints and signs with them.
#[cfg_attr(feature = "test-support", automock)]
pub trait WebhookSigner: Send + Sync {
    /// Encrypts a secret, bound to its endpoint.
    fn seal(
        &self,
        id: WebhookEndpointId,
        secret: &WebhookSecret,
    ) -> Result<SealedWebhookSecret, WebhookSignerError>;
    /// Returns the HMAC-SHA256 of a text under the sealed secret of this endpoint, in base64.
    fn sign(
        &self,
        id: WebhookEndpointId,
        secret: &SealedWebhookSecret,
        text: &str,
    ) -> Result<String, WebhookSignerError>;
}
