//! Changes the email address of an account with a link that was sent to the new address.

use super::choose_password::find_and_hold;
use crate::mail::{QueueMail, email_changed};
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use derive_more::Constructor;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretKind};
use domain::session::Session;
use domain::user::{Email, User};
use std::net::IpAddr;
use std::sync::Arc;

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

/// Confirms new email addresses.
#[derive(Constructor)]
pub struct ConfirmEmailChange {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    /// `None` if no email is sent.
    mail: Option<QueueMail>,
}

impl ConfirmEmailChange {
    /// Uses the link up, changes the address, and returns it. Deletes the account's other links, which were
    /// sent to the old address or to other new ones, and emails the old address. Of several concurrent uses
    /// of a link, one succeeds.
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
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        let usable = find_and_hold(unit.as_mut(), &secret.hash(), now).await?;
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
        let id = AuditEventId::from_uuid(self.entropy.uuid());
        let event =
            AuditEvent::new(id, now, AuditKind::EmailChanged, AuditActor::Person).user(user_id).from(address);
        unit.audit().append(&event).await?;
        unit.commit().await?;
        Ok(email)
    }
}
