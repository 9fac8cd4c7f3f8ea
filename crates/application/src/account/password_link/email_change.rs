//! Changes the email address of an account with a link that is sent to the new address.

use super::{LinkRequestError, MailedLinks, PasswordLinks, find_and_lock};
use crate::mail::{IssuedLink, confirm_email, email_change_requested, email_changed};
use crate::ports::storage::{StorageError, UniqueKey};
use crate::session::SignedInPerson;
use crate::store::transact;
use domain::audit::AuditKind;
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretKind};
use domain::user::{Email, User};

/// Why another address is not requested. No reason depends on whether another account has the address.
#[derive(Debug, thiserror::Error)]
pub enum EmailChangeError {
    /// The last sign-in is too old.
    #[error("the password must be confirmed first")]
    NotFresh,
    /// The session has ended, or the account is locked or deleted.
    #[error("the session has ended")]
    SessionEnded,
    /// The account has this address already.
    #[error("this is the current address")]
    SameAddress,
    /// The address is invalid, or too many links were requested.
    #[error(transparent)]
    Request(#[from] LinkRequestError),
}

impl From<StorageError> for EmailChangeError {
    fn from(error: StorageError) -> Self {
        Self::Request(error.into())
    }
}

/// Why an address is not confirmed.
#[derive(Debug, thiserror::Error)]
pub enum ConfirmEmailChangeError {
    /// The link is malformed, unknown, used, expired, for another purpose or for another account, or the
    /// session has ended.
    #[error("the link cannot be used")]
    UnusableLink,
    /// Another account has the address. The link stays valid.
    #[error("another account has this address")]
    AddressTaken,
    /// The store failed.
    #[error(transparent)]
    Storage(StorageError),
}

impl From<StorageError> for ConfirmEmailChangeError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Conflict(UniqueKey::UserEmail) => Self::AddressTaken,
            other => Self::Storage(other),
        }
    }
}

impl MailedLinks<'_> {
    /// Queues a link to the new address, and a notice to the current one; the sign-in must be fresh. The
    /// address changes only when the link is used, so the response reveals nothing about other accounts
    /// (security.md T80).
    pub async fn request_email_change(
        self,
        person: &SignedInPerson,
        email: &str,
    ) -> Result<(), EmailChangeError> {
        let Self { links, mail } = self;
        let now = links.store.now();
        if !person.session.is_fresh(now) {
            return Err(EmailChangeError::NotFresh);
        }
        let email = links.admit(email, person.address).await?;
        let user_id = person.user_id;
        transact!(links.store, |tx| {
            let user = tx.active_user(user_id).await?;
            let is_live = tx.sessions().find(user_id, person.session.id).await?.is_some();
            let user = user.filter(|_| is_live).ok_or(EmailChangeError::SessionEnded)?;
            if user.email == email {
                return Err(EmailChangeError::SameAddress);
            }
            let purpose = PasswordLinkPurpose::EmailChange { user_id, email: email.clone() };
            let (secret, stored) = links.draw(purpose, now);
            tx.password_links().insert(&stored).await?;
            let link = IssuedLink { secret: &secret, stored: &stored };
            mail.run(tx, &confirm_email(&email, mail.links(), &link), now).await?;
            mail.run(tx, &email_change_requested(&user.email, mail.links()), now).await?;
            Ok(tx.record(person.event(&links.store, AuditKind::EmailChangeRequested)).await?)
        })
        .await
    }
}

impl PasswordLinks {
    /// Uses up the link, changes the address, and returns it. Deletes the account's other links, which were
    /// sent to the old address or to other new ones, and emails the old address. Only one of several
    /// concurrent uses of a link succeeds.
    ///
    /// Only a person who is signed in to the account can confirm. Otherwise an attacker could make the owner
    /// of another mailbox adopt an account whose apps and tokens they keep.
    pub async fn confirm_email_change(
        &self,
        person: &SignedInPerson,
        link: &str,
    ) -> Result<Email, ConfirmEmailChangeError> {
        let secret = Secret::parse(SecretKind::PasswordLink, link)
            .map_err(|_| ConfirmEmailChangeError::UnusableLink)?;
        let (hash, now) = (secret.hash(), self.store.now());
        transact!(self.store, |tx| {
            let usable = find_and_lock(tx, &hash, now).await?;
            let Some(PasswordLinkPurpose::EmailChange { user_id, email }) = usable.map(|link| link.purpose)
            else {
                return Err(ConfirmEmailChangeError::UnusableLink);
            };
            let is_signed_in = tx.sessions().find(person.user_id, person.session.id).await?.is_some();
            if user_id != person.user_id || !is_signed_in {
                return Err(ConfirmEmailChangeError::UnusableLink);
            }
            tx.password_links().consume(&hash).await?.ok_or(ConfirmEmailChangeError::UnusableLink)?;
            let user = tx.users().find(user_id).await?.ok_or(ConfirmEmailChangeError::UnusableLink)?;
            let old = user.email.clone();
            tx.users().update(&User { email: email.clone(), ..user }).await?;
            tx.password_links().delete_of_user(user_id).await?;
            if let Some(mail) = &self.mail {
                mail.run(tx, &email_changed(&old, mail.links()), now).await?;
            }
            tx.record(person.event(&self.store, AuditKind::EmailChanged)).await?;
            Ok(email)
        })
        .await
    }
}
