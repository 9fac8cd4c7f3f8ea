//! Queues a message.

use super::PublicLinks;
use crate::ports::storage::{QueuedMessage, StorageError, UnitOfWork};
use crate::ports::system::{Entropy, Mail, MailSealError, MailSealer};
use chrono::{DateTime, Utc};
use domain::id::MessageId;
use std::sync::Arc;

/// Why a message cannot be queued.
#[derive(Debug, thiserror::Error)]
pub enum QueueMailError {
    /// It cannot be sealed.
    #[error(transparent)]
    Seal(#[from] MailSealError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Queues messages. Made only when the settings name a mail server; a use case that can do without takes an option.
#[derive(Clone)]
pub struct QueueMail {
    sealer: Arc<dyn MailSealer>,
    entropy: Arc<dyn Entropy>,
    links: PublicLinks,
}

impl QueueMail {
    /// Takes the ports, and where the pages are that messages name.
    pub fn new(sealer: Arc<dyn MailSealer>, entropy: Arc<dyn Entropy>, links: PublicLinks) -> Self {
        Self { sealer, entropy, links }
    }

    /// Returns where the pages are that messages name.
    pub fn links(&self) -> &PublicLinks {
        &self.links
    }

    /// Seals a message and puts it into the outbox with the rest of this unit of work, due at once.
    pub async fn run(
        &self,
        unit: &mut dyn UnitOfWork,
        mail: &Mail,
        now: DateTime<Utc>,
    ) -> Result<MessageId, QueueMailError> {
        let id = MessageId::from_uuid(self.entropy.uuid());
        let sealed = self.sealer.seal(id, mail)?;
        let message = QueuedMessage { id, sealed, queued_at: now, due_at: now, attempts: 0 };
        unit.outbox().insert(&message).await?;
        Ok(id)
    }
}
