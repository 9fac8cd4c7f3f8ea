//! Changes the email address of an account with a link that was sent to the new address.

use super::choose_password::find_and_lock;
use crate::mail::{QueueMail, email_changed};
use crate::ports::storage::{StorageError, UniqueKey};
use domain::audit::{AuditActor, AuditKind};
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretKind};
use domain::session::Session;
use domain::user::{Email, User};
use std::net::IpAddr;

/// Errors of [`ConfirmEmailChange`].
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
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Confirms new email addresses; without an outbox it sends no email.
    ConfirmEmailChange { mail: Option<QueueMail> }
}

impl ConfirmEmailChange {
    /// Uses up the link, changes the address, and returns it. Deletes the account's other links, which were
    /// sent to the old address or to other new ones, and emails the old address. Only one of several
    /// concurrent uses of a link succeeds.
    ///
    /// Only a person who is signed in to the account can confirm. Otherwise an attacker could make the owner
    /// of another mailbox adopt an account whose apps and tokens they keep.
    pub async fn run(
        &self,
        session: &Session,
        link: &str,
        address: IpAddr,
    ) -> Result<Email, ConfirmEmailChangeError> {
        let secret = Secret::parse(SecretKind::PasswordLink, link)
            .map_err(|_| ConfirmEmailChangeError::UnusableLink)?;
        let now = self.trail.now();
        let mut unit = self.units.begin().await?;
        let usable = find_and_lock(unit.as_mut(), &secret.hash(), now).await?;
        let Some(PasswordLinkPurpose::EmailChange { user_id, email }) = usable.map(|link| link.purpose)
        else {
            return Err(ConfirmEmailChangeError::UnusableLink);
        };
        let is_signed_in = unit.sessions().find(session.user_id, session.id).await?.is_some();
        if user_id != session.user_id || !is_signed_in {
            return Err(ConfirmEmailChangeError::UnusableLink);
        }
        unit.password_links().consume(&secret.hash()).await?.ok_or(ConfirmEmailChangeError::UnusableLink)?;
        let user = unit.users().find(user_id).await?.ok_or(ConfirmEmailChangeError::UnusableLink)?;
        let old = user.email.clone();
        match unit.users().update(&User { email: email.clone(), ..user }).await {
            Err(StorageError::Conflict(UniqueKey::UserEmail)) => {
                return unit.refuse(ConfirmEmailChangeError::AddressTaken).await;
            }
            changed => {
                changed?;
            }
        }
        unit.password_links().delete_of_user(user_id).await?;
        if let Some(mail) = &self.mail {
            mail.run(unit.as_mut(), &email_changed(&old, mail.links()), now).await?;
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::EmailChanged);
        unit.audit().append(&event.user(user_id).from(address)).await?;
        unit.commit().await?;
        Ok(email)
    }
}
