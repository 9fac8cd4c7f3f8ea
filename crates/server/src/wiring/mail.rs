//! Mail: sealing, queueing and sending it, where the settings name a mail server.

use super::Store;
use crate::settings::{PublicUrl, Settings};
use anyhow::Context;
use application::mail::{DeliverMail, PublicLinks, QueueMail};
use application::ports::storage::OutboxReader;
use smtp_adapter::SmtpMailer;
use std::sync::Arc;
use system_adapter::{EncryptedMailSealer, EncryptionKey, SystemEntropy};

/// What queues and sends mail.
pub(crate) struct MailParts {
    /// Queues messages.
    pub(crate) queue: QueueMail,
    /// Sends what is queued.
    pub(crate) deliver: DeliverMail,
    /// Tells how much waits.
    pub(crate) backlog: Arc<dyn OutboxReader>,
}

impl MailParts {
    /// Wires mail; nothing where the settings name no mail server.
    pub(crate) fn new(
        store: &Store,
        settings: &Settings,
        public_url: &PublicUrl,
        encryption_key: &EncryptionKey,
    ) -> anyhow::Result<Option<Self>> {
        let Some(options) = settings.mail.options(public_url)? else { return Ok(None) };
        let sealer = Arc::new(EncryptedMailSealer::new(encryption_key.clone()));
        let links = PublicLinks::new(public_url.as_str());
        let queue = QueueMail::new(sealer.clone(), Arc::new(SystemEntropy), links);
        let mailer = SmtpMailer::new(options, store.clock.clone(), Arc::new(SystemEntropy));
        let mailer = Arc::new(mailer.context("mail cannot be sent with these settings")?);
        let deliver = DeliverMail::new(store.units.clone(), mailer, sealer, store.clock.clone());
        Ok(Some(Self { queue, deliver, backlog: store.outbox.clone() }))
    }
}
