//! Email: sealing, queueing and sending, if the settings name a mail server.

use super::{Services, SharedClock};
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

impl Services {
    /// Wires email; `None` if the settings name no mail server.
    pub(super) fn mail(&self, encryption_key: EncryptionKey) -> anyhow::Result<Option<MailParts>> {
        let Some(options) = self.settings.mail.options(&self.public_url)? else { return Ok(None) };
        let sealer = Arc::new(EncryptedMailSealer::new(encryption_key));
        let links = links(&self.settings, &self.public_url);
        let queue = QueueMail::new(sealer.clone(), Arc::new(SystemEntropy), links);
        let mailer = mailer(options, self.clock.clone())?;
        let deliver = DeliverMail { store: self.audited(), mailer, sealer };
        Ok(Some(MailParts { queue, deliver, backlog: self.store.outbox.clone() }))
    }

    /// Returns the outbox of a command; `None` if no mail server is configured.
    pub(crate) async fn queue_mail(&self) -> anyhow::Result<Option<QueueMail>> {
        if !self.settings.mail.is_set() {
            return Ok(None);
        }
        Ok(self.mail(self.encryption_key().await?)?.map(|mail| mail.queue))
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
