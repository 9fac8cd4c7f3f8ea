//! What asking for a link has in common, whether to reset a password or to sign up (security.md T80).

use crate::guessing::{AttemptLimit, AttemptRefused, count_attempt, failure_key};
use crate::mail::QueueMailError;
use crate::ports::storage::{FailureCounter, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, MailSealError};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::{Secret, SecretKind};
use std::net::IpAddr;
use std::sync::Arc;

/// How often links may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRequestLimits {
    /// For one email address, whoever asks: nobody's mailbox is flooded.
    pub per_email: AttemptLimit,
    /// From one address (IPv6: its /64), whatever the email address.
    pub per_address: AttemptLimit,
}

impl Default for LinkRequestLimits {
    fn default() -> Self {
        Self {
            per_email: AttemptLimit { attempts: 5, window_seconds: 3600 },
            per_address: AttemptLimit { attempts: 20, window_seconds: 3600 },
        }
    }
}

/// What a use case needs to send links to whoever asks.
#[derive(Clone)]
pub struct LinkRequestPorts {
    /// Where accounts, links and messages are.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Counts requests.
    pub failures: Arc<dyn FailureCounter>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

/// Somebody's wish for a link.
#[derive(Clone, Copy)]
pub struct LinkRequestCommand<'a> {
    /// The email address, as typed.
    pub email: &'a str,
    /// From where.
    pub address: IpAddr,
}

/// Why a request is not taken. None of the reasons depends on whether an account exists.
#[derive(Debug, thiserror::Error)]
pub enum LinkRequestError {
    /// The text is no email address, as whoever typed it can see.
    #[error("not an email address")]
    InvalidEmail,
    /// Too many were asked for, for this email address or from here.
    #[error("too many links were asked for")]
    TooManyAttempts {
        /// After how many seconds the window ends.
        retry_after_seconds: u32,
    },
    /// The message cannot be sealed.
    #[error(transparent)]
    Seal(#[from] MailSealError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<AttemptRefused> for LinkRequestError {
    fn from(error: AttemptRefused) -> Self {
        match error {
            AttemptRefused::TooMany { retry_after_seconds, is_first: _ } => {
                Self::TooManyAttempts { retry_after_seconds }
            }
            AttemptRefused::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<QueueMailError> for LinkRequestError {
    fn from(error: QueueMailError) -> Self {
        match error {
            QueueMailError::Seal(error) => Self::Seal(error),
            QueueMailError::Storage(error) => Self::Storage(error),
        }
    }
}

impl LinkRequestPorts {
    /// Counts a request, first of the address, then of the email address: what the one is refused is not held
    /// against the other. Every request counts, whatever becomes of it.
    pub(super) async fn admit(
        &self,
        command: &LinkRequestCommand<'_>,
        limits: LinkRequestLimits,
    ) -> Result<(), AttemptRefused> {
        let now = self.clock.now();
        let block = AddressBlock::containing(command.address).to_string();
        let by_address = failure_key(&["password-link/address", &block]);
        let by_email = failure_key(&["password-link/email", &command.email.to_lowercase()]);
        count_attempt(self.failures.as_ref(), by_address, limits.per_address, now).await?;
        count_attempt(self.failures.as_ref(), by_email, limits.per_email, now).await
    }

    /// Draws a link of this purpose.
    pub(super) fn draw(&self, purpose: PasswordLinkPurpose, now: DateTime<Utc>) -> (Secret, PasswordLink) {
        let secret = Secret::from_bytes(SecretKind::PasswordLink, &self.entropy.secret_bytes());
        let link = PasswordLink::new(secret.hash(), purpose, now);
        (secret, link)
    }

    /// Writes down that a link was handed out: about nobody when it is for a sign-up.
    pub(super) async fn note_issue(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: Option<UserId>,
        command: &LinkRequestCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let id = AuditEventId::from_uuid(self.entropy.uuid());
        let event = AuditEvent::new(id, now, AuditKind::PasswordLinkIssued, AuditActor::Person)
            .from(AddressBlock::containing(command.address));
        unit.audit().append(&AuditEvent { user_id, ..event }).await
    }
}
