//! Requests for links by email: to reset a password, and to sign up (security.md T80).

use super::PasswordLinks;
use crate::attempt_limit::{
    AttemptLimit, AttemptRejected, count_attempt, failure_key, from_attempt_rejected,
};
use crate::mail::{IssuedLink, QueueMail, account_exists, reset, sign_up};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::store::transact;
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::password_link::PasswordLinkPurpose;
use domain::user::{Email, User};
use std::net::IpAddr;

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

/// Links of a server that sends email.
#[derive(Clone, Copy)]
pub struct MailedLinks<'a> {
    pub(super) links: &'a PasswordLinks,
    pub(super) mail: &'a QueueMail,
}

/// Links to sign up, of a server where anyone may create an account.
#[derive(Clone, Copy)]
pub struct SignUpLinks<'a>(MailedLinks<'a>);

impl PasswordLinks {
    /// Returns the links that are emailed on request; `None` if no email is sent.
    pub fn mailed(&self) -> Option<MailedLinks<'_>> {
        self.mail.as_ref().map(|mail| MailedLinks { links: self, mail })
    }

    /// Returns the links to sign up; `None` if sign-up is closed or no email is sent.
    pub fn sign_up(&self) -> Option<SignUpLinks<'_>> {
        self.mailed().filter(|_| self.is_sign_up_open).map(SignUpLinks)
    }

    /// Counts a request for the network, then for the email address as typed, and returns the address. A
    /// request rejected for its network is not counted for the email address. Every request counts, even if
    /// it fails later.
    pub(super) async fn admit(&self, email: &str, address: IpAddr) -> Result<Email, LinkRequestError> {
        self.count(email, address).await?;
        Email::parse(email).map_err(|_| LinkRequestError::InvalidEmail)
    }

    async fn count(&self, email: &str, address: IpAddr) -> Result<(), AttemptRejected> {
        let (limits, failures, now) = (self.limits, self.failures.as_ref(), self.store.now());
        let block = AddressBlock::containing(address).to_string();
        let by_address = failure_key(&["password-link/address", &block]);
        let by_email = failure_key(&["password-link/email", &email.to_lowercase()]);
        count_attempt(failures, by_address, limits.per_address, now).await?;
        count_attempt(failures, by_email, limits.per_email, now).await
    }

    /// Creates the event of a link that someone at this address requested.
    fn issued(&self, address: IpAddr) -> AuditEvent {
        self.store.event(AuditActor::Person, AuditKind::PasswordLinkIssued).from(address)
    }
}

impl MailedLinks<'_> {
    /// Queues a link if an active account has this address. The response is always the same, and the work
    /// differs by a statement or two (security.md T80). Earlier links stay valid: otherwise anyone could
    /// invalidate them.
    pub async fn request_reset(self, email: &str, address: IpAddr) -> Result<(), LinkRequestError> {
        let links = self.links;
        let email = links.admit(email, address).await?;
        let now = links.store.now();
        transact!(links.store, |tx| {
            let found = tx.users().find_by_email(&email).await?;
            // Read again to lock the row: otherwise the link could go to an address that was just given up.
            // If there is no account, a random id is looked up.
            let random = || UserId::from_uuid(links.store.entropy().uuid());
            let locked = tx.users().find(found.map_or_else(random, |user| user.id)).await?;
            let has_address = |user: &User| user.email.normalised() == email.normalised();
            match locked.filter(|user| user.status.is_active() && has_address(user)) {
                Some(user) => self.send_reset(tx, &user, address, now).await?,
                None => self.write_decoy(tx, &email, now).await?,
            }
            Ok(())
        })
        .await
    }

    async fn send_reset(
        self,
        tx: &mut dyn UnitOfWork,
        user: &User,
        address: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let Self { links, mail } = self;
        let (secret, stored) = links.draw(PasswordLinkPurpose::Reset { user_id: user.id }, now);
        tx.password_links().insert(&stored).await?;
        // Sent to the address of the account, not to the typed one.
        let link = IssuedLink { secret: &secret, stored: &stored };
        mail.run(tx, &reset(&user.email, mail.links(), &link), now).await?;
        tx.record(links.issued(address).user(user.id)).await
    }

    /// Writes the same rows and deletes them in the same transaction, so that timing does not reveal that
    /// there is no account.
    async fn write_decoy(
        self,
        tx: &mut dyn UnitOfWork,
        email: &Email,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let Self { links, mail } = self;
        let (secret, stored) = links.draw(PasswordLinkPurpose::SignUp { email: email.clone() }, now);
        tx.password_links().insert(&stored).await?;
        tx.password_links().consume(&stored.hash).await?;
        let link = IssuedLink { secret: &secret, stored: &stored };
        let message = mail.run(tx, &reset(email, mail.links(), &link), now).await?;
        tx.outbox().delete(message).await.map(drop)
    }
}

impl SignUpLinks<'_> {
    /// Queues a link, or an email that the account exists. Only the reader of the mailbox learns which; the
    /// response and the work are the same (security.md T80).
    pub async fn request(self, email: &str, address: IpAddr) -> Result<(), LinkRequestError> {
        let links = self.0.links;
        let email = links.admit(email, address).await?;
        let now = links.store.now();
        transact!(links.store, |tx| {
            match tx.users().find_by_email(&email).await? {
                None => self.send(tx, &email, address, now).await?,
                Some(user) => self.send_notice(tx, &user, now).await?,
            }
            Ok(())
        })
        .await
    }

    async fn send(
        self,
        tx: &mut dyn UnitOfWork,
        email: &Email,
        address: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let MailedLinks { links, mail } = self.0;
        let (secret, stored) = links.draw(PasswordLinkPurpose::SignUp { email: email.clone() }, now);
        tx.password_links().insert(&stored).await?;
        let link = IssuedLink { secret: &secret, stored: &stored };
        mail.run(tx, &sign_up(email, mail.links(), &link), now).await?;
        tx.record(links.issued(address)).await
    }

    /// Also writes and deletes an unused link, because the time for one could be measured.
    async fn send_notice(
        self,
        tx: &mut dyn UnitOfWork,
        user: &User,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let MailedLinks { links, mail } = self.0;
        let (_, stored) = links.draw(PasswordLinkPurpose::SignUp { email: user.email.clone() }, now);
        tx.password_links().insert(&stored).await?;
        tx.password_links().consume(&stored.hash).await?;
        mail.run(tx, &account_exists(&user.email, mail.links()), now).await.map(drop)
    }
}
