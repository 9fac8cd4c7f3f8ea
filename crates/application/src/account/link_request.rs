//! Shared parts of password reset and sign-up requests (security.md T80).

use crate::attempt_limit::{
    AttemptLimit, AttemptRejected, count_attempt, failure_key, from_attempt_rejected,
};
use crate::mail::QueueMail;
use crate::ports::storage::{FailureCounter, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::{Secret, SecretKind};
use std::net::IpAddr;
use std::sync::Arc;

/// Rate limits for requesting links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRequestLimits {
    /// Per email address, from any network, so that no mailbox is flooded.
    pub per_email: AttemptLimit,
    /// Per network address (IPv6: /64), for any email address.
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

/// Ports and limits of the use cases that send links on request.
#[derive(Clone)]
pub struct LinkRequestPorts {
    /// Units of work that read accounts and store links and emails.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Request counters.
    pub failures: Arc<dyn FailureCounter>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
    /// The limits.
    pub limits: LinkRequestLimits,
    /// The outbox.
    pub mail: QueueMail,
}

/// A request for a link.
#[derive(Clone, Copy)]
pub struct LinkRequestCommand<'a> {
    /// Email address, as typed.
    pub email: &'a str,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Why a request is rejected. No reason depends on whether an account exists.
#[derive(Debug, thiserror::Error)]
pub enum LinkRequestError {
    /// The text is not an email address.
    #[error("not an email address")]
    InvalidEmail,
    /// The limit of the email address or of the network is reached.
    #[error("too many links were requested")]
    TooManyAttempts {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(LinkRequestError, TooManyAttempts);

impl LinkRequestPorts {
    /// Counts the request for the network, then for the email address. A request rejected for its network is
    /// not counted for the email address. Every request counts, even if it fails later.
    pub(super) async fn admit(&self, command: &LinkRequestCommand<'_>) -> Result<(), AttemptRejected> {
        let (limits, now) = (self.limits, self.clock.now());
        let block = AddressBlock::containing(command.address).to_string();
        let by_address = failure_key(&["password-link/address", &block]);
        let by_email = failure_key(&["password-link/email", &command.email.to_lowercase()]);
        count_attempt(self.failures.as_ref(), by_address, limits.per_address, now).await?;
        count_attempt(self.failures.as_ref(), by_email, limits.per_email, now).await
    }

    pub(super) fn draw(&self, purpose: PasswordLinkPurpose, now: DateTime<Utc>) -> (Secret, PasswordLink) {
        let secret = Secret::from_bytes(SecretKind::PasswordLink, &self.entropy.secret_bytes());
        let link = PasswordLink::new(secret.hash(), purpose, now);
        (secret, link)
    }

    /// Records in the audit trail that a password link was issued; a sign-up has no user.
    pub(super) async fn note_issue(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: Option<UserId>,
        command: &LinkRequestCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let event = self.event(AuditKind::PasswordLinkIssued, command.address, now);
        unit.audit().append(&AuditEvent { user_id, ..event }).await
    }

    /// Creates the audit event of a request from this address.
    pub(super) fn event(&self, kind: AuditKind, address: IpAddr, now: DateTime<Utc>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.entropy.uuid());
        AuditEvent::new(id, now, kind, AuditActor::Person).from(address)
    }
}
