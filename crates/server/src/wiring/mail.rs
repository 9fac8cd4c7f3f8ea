//! Email: sealing, queueing and sending, if the settings name a mail server.

use super::{SharedClock, Store};
use crate::settings::{PublicUrl, Settings};
use anyhow::Context;
use application::mail::{DeliverMail, PublicLinks, QueueMail, SendTestMail};
use application::ports::storage::OutboxReader;
use http_adapter::Operator;
use smtp_adapter::{SmtpMailer, SmtpOptions};
use std::sync::Arc;
use system_adapter::{EncryptedMailSealer, EncryptionKey, SystemClock, SystemEntropy};

/// Use cases of email.
pub(crate) struct MailParts {
    pub(crate) queue: QueueMail,
    /// Sends queued messages.
    pub(crate) deliver: DeliverMail,
    /// Counts waiting messages.
    pub(crate) backlog: Arc<dyn OutboxReader>,
}

impl MailParts {
    /// Wires email; `None` if the settings name no mail server.
    pub(crate) fn new(
        store: &Store,
        settings: &Settings,
        public_url: &PublicUrl,
        encryption_key: &EncryptionKey,
        clock: &SharedClock,
    ) -> anyhow::Result<Option<Self>> {
        let Some(options) = settings.mail.options(public_url)? else { return Ok(None) };
        let sealer = Arc::new(EncryptedMailSealer::new(encryption_key.clone()));
        let links = links(settings, public_url);
        let queue = QueueMail::new(sealer.clone(), Arc::new(SystemEntropy), links);
        let mailer = mailer(options, clock.clone())?;
        let deliver = DeliverMail { store: store.audited(clock), mailer, sealer };
        Ok(Some(Self { queue, deliver, backlog: store.outbox.clone() }))
    }
}

fn links(settings: &Settings, public_url: &PublicUrl) -> PublicLinks {
    let Operator { name, contact } = settings.server.operator();
    PublicLinks::new(public_url.as_str()).operated_by(name, contact)
}

/// Wires the test of the mail server, which needs no store.
pub(crate) fn test_mail(
    options: SmtpOptions,
    settings: &Settings,
    public_url: &PublicUrl,
) -> anyhow::Result<SendTestMail> {
    let mailer = mailer(options, Arc::new(SystemClock))?;
    Ok(SendTestMail::new(mailer, links(settings, public_url)))
}

fn mailer(options: SmtpOptions, clock: SharedClock) -> anyhow::Result<Arc<SmtpMailer>> {
    let mailer = SmtpMailer::new(options, clock, Arc::new(SystemEntropy));
    Ok(Arc::new(mailer.context("mail cannot be sent with these settings")?))
}
