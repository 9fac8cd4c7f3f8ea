//! Queues emails.

use super::PublicLinks;
use crate::ports::storage::{QueuedMessage, StorageError, UnitOfWork};
use crate::ports::system::{Entropy, Mail, MailSealer};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::id::MessageId;
use std::sync::Arc;

/// Queues messages. Exists only if a mail server is configured; use cases that work without it hold an
/// `Option`.
#[derive(Clone, Constructor)]
pub struct QueueMail {
    sealer: Arc<dyn MailSealer>,
    entropy: Arc<dyn Entropy>,
    links: PublicLinks,
}

impl QueueMail {
    /// Returns the links for messages.
    pub fn links(&self) -> &PublicLinks {
        &self.links
    }

    /// Encrypts a message and queues it in this unit of work, due at once. A message that cannot be encrypted
    /// is an internal error of the store, like any other row that cannot be written.
    pub async fn run(
        &self,
        tx: &mut dyn UnitOfWork,
        mail: &Mail,
        now: DateTime<Utc>,
    ) -> Result<MessageId, StorageError> {
        let id = MessageId::from_uuid(self.entropy.uuid());
        let sealed = self.sealer.seal(id, mail).map_err(|error| StorageError::Internal(Box::new(error)))?;
        let message = QueuedMessage { id, sealed, queued_at: now, due_at: now, attempts: 0 };
        tx.outbox().insert(&message).await?;
        Ok(id)
    }
}
