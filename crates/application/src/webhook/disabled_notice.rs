//! Email about a disabled endpoint.

use crate::mail::{QueueMail, webhook_disabled};
use crate::ports::storage::{ClientReader, ProfileReader, StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::user::Email;
use domain::webhook::{DisableReason, WebhookEndpoint};
use std::sync::Arc;

/// Notifies people whose endpoint was disabled.
pub struct DisabledNotice {
    /// Queues the email.
    pub mail: QueueMail,
    /// Apps and their owners.
    pub clients: Arc<dyn ClientReader>,
    /// Addresses of the owners.
    pub profiles: Arc<dyn ProfileReader>,
    /// Whether owners manage endpoints on the developer page.
    pub self_service: bool,
}

impl DisabledNotice {
    /// Queues the email to the endpoint's contact, otherwise to the owner of the app, if there is one.
    pub(super) async fn queue(
        &self,
        tx: &mut dyn UnitOfWork,
        endpoint: &WebhookEndpoint,
        (reason, now): (DisableReason, DateTime<Utc>),
    ) -> Result<(), StorageError> {
        let (contact, is_owner) = match &endpoint.contact {
            Some(contact) => (Some(contact.clone()), false),
            None => (self.owner(endpoint).await?, true),
        };
        let Some(contact) = contact else { return Ok(()) };
        let can_test = is_owner && self.self_service;
        let text = webhook_disabled(&contact, self.mail.links(), endpoint, (reason, can_test));
        self.mail.run(tx, &text, now).await.map(drop)
    }

    async fn owner(&self, endpoint: &WebhookEndpoint) -> Result<Option<Email>, StorageError> {
        let found = self.clients.find_with_secrets(endpoint.client_id).await?;
        let Some(owner) = found.and_then(|found| found.client.review.owner()) else { return Ok(None) };
        Ok(self.profiles.find_profile(owner).await?.map(|user| user.email))
    }
}
