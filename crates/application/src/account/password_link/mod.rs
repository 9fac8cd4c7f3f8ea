//! One-time links: to choose a password, to sign up, and to confirm another email address.

mod email_change;
mod request;

pub use email_change::*;
pub use request::*;

use super::password_change::drop_password;
use crate::mail::{IssuedLink, QueueMail, invitation, new_password};
use crate::passkey::remove_all_passkeys;
use crate::ports::storage::{
    FailureCounter, PasswordLinkReader, PasswordLinkWithAccount, StorageError, UnitOfWork,
};
use crate::store::{Store, transact};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::{Secret, SecretHash, SecretKind};
use domain::user::Email;
use std::sync::Arc;

/// One-time links. Only their hashes are stored.
pub struct PasswordLinks {
    /// The store.
    pub store: Store,
    /// Reader of links.
    pub reader: Arc<dyn PasswordLinkReader>,
    /// Request counters.
    pub failures: Arc<dyn FailureCounter>,
    /// Limits on requests for links.
    pub limits: LinkRequestLimits,
    /// Whether anyone may create an account.
    pub is_sign_up_open: bool,
    /// `None` if no email is sent.
    pub mail: Option<QueueMail>,
}

/// A usable link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsablePasswordLink {
    /// Purpose of the link.
    pub purpose: PasswordLinkPurpose,
    /// Email address of the account, of the account to create, or the new address.
    pub email: Email,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

/// A link that the operator issued.
#[derive(Debug)]
pub struct IssuedPasswordLink {
    /// Secret of the link.
    pub link: Secret,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
    /// Whether an email with the link is queued.
    pub is_mailed: bool,
    /// Number of passkeys that were removed.
    pub passkeys_removed: u64,
}

/// Why the operator gets no link.
#[derive(Debug, thiserror::Error)]
pub enum IssuePasswordLinkError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// Nobody signs in as a sandbox person.
    #[error("this is a sandbox person, and nobody can sign in as one")]
    SandboxPerson,
    /// The account is locked, so the link would not work.
    #[error("this user is locked")]
    UserLocked,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl PasswordLinks {
    /// Returns a usable link; `None` if it is malformed, unknown, used or expired, or its account is locked.
    /// Changes nothing, because email programs prefetch links.
    pub async fn find(&self, link: &str) -> Result<Option<UsablePasswordLink>, StorageError> {
        let Ok(secret) = Secret::parse(SecretKind::PasswordLink, link) else { return Ok(None) };
        let found = self.reader.find_password_link(&secret.hash()).await?;
        Ok(found.and_then(|found| usable(found, self.store.now())))
    }

    /// Replaces the user's links with a new one for the operator, and emails it if the server sends email.
    ///
    /// The current password stays valid until another one is chosen, unless the link is to be the only way to
    /// sign in, because somebody else knew the password. The password and the passkeys are then removed, and
    /// the sign-ins end.
    pub async fn issue(
        &self,
        user_id: UserId,
        is_only_way: bool,
    ) -> Result<IssuedPasswordLink, IssuePasswordLinkError> {
        let now = self.store.now();
        transact!(self.store, |tx| {
            let user = tx.users().find(user_id).await?.ok_or(IssuePasswordLinkError::NotFound)?;
            if user.email.is_sandbox() {
                return Err(IssuePasswordLinkError::SandboxPerson);
            }
            if !user.status.is_active() {
                return Err(IssuePasswordLinkError::UserLocked);
            }
            let (link, stored) = self.draw(PasswordLinkPurpose::Invitation { user_id }, now);
            let had_password = tx.passwords().find(user_id).await?.is_some();
            let mut passkeys_removed = 0;
            if is_only_way {
                passkeys_removed =
                    remove_all_passkeys(tx, &user, self.mail.as_ref(), &self.store.trail).await?;
                drop_password(tx, user_id, now).await?;
            }
            tx.password_links().delete_of_user(user_id).await?;
            tx.password_links().insert(&stored).await?;
            if let Some(mail) = &self.mail {
                let link = IssuedLink { secret: &link, stored: &stored };
                let message = if had_password {
                    new_password(&user.email, mail.links(), &link, !is_only_way)
                } else {
                    invitation(&user.email, mail.links(), &link)
                };
                mail.run(tx, &message, now).await?;
            }
            let event = self.store.event(AuditActor::Operator, AuditKind::PasswordLinkIssued);
            tx.record(event.user(user_id)).await?;
            let (expires_at, is_mailed) = (stored.expires_at, self.mail.is_some());
            Ok(IssuedPasswordLink { link, expires_at, is_mailed, passkeys_removed })
        })
        .await
    }

    fn draw(&self, purpose: PasswordLinkPurpose, now: DateTime<Utc>) -> (Secret, PasswordLink) {
        let secret = self.store.new_secret(SecretKind::PasswordLink);
        let link = PasswordLink::new(secret.hash(), purpose, now);
        (secret, link)
    }
}

/// Returns the link if it is live and its account, if it has one, is active.
pub(super) fn usable(found: PasswordLinkWithAccount, now: DateTime<Utc>) -> Option<UsablePasswordLink> {
    let PasswordLinkWithAccount { link, account } = found;
    if !link.is_live(now) {
        return None;
    }
    let email = match &link.purpose {
        PasswordLinkPurpose::SignUp { email } => email.clone(),
        PasswordLinkPurpose::Invitation { .. } | PasswordLinkPurpose::Reset { .. } => {
            account.filter(|(_, status)| status.is_active())?.0
        }
        PasswordLinkPurpose::EmailChange { email, .. } => {
            account.filter(|(_, status)| status.is_active())?;
            email.clone()
        }
    };
    Some(UsablePasswordLink { purpose: link.purpose, email, expires_at: link.expires_at })
}

/// Returns a usable link, and locks its user until the transaction ends.
pub(super) async fn find_and_lock(
    tx: &mut dyn UnitOfWork,
    hash: &SecretHash,
    now: DateTime<Utc>,
) -> Result<Option<UsablePasswordLink>, StorageError> {
    let Some(link) = tx.password_links().find(hash).await?.filter(|link| link.is_live(now)) else {
        return Ok(None);
    };
    let account = match link.purpose.user_id() {
        Some(user_id) => tx.users().find(user_id).await?.map(|user| (user.email, user.status)),
        None => None,
    };
    Ok(usable(PasswordLinkWithAccount { link, account }, now))
}
