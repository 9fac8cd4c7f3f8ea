//! Issues a password link for the operator.

use super::password_change::drop_password;
use crate::mail::{IssuedLink, QueueMail, invitation, new_password};
use crate::passkey::remove_all_passkeys;
use crate::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::{Secret, SecretKind};

/// An issued link; only its hash is stored.
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

/// Errors of [`IssuePasswordLink`].
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

crate::audit::use_case! {
    /// Issues links that invite a user or let them choose another password; without an outbox it sends no
    /// email.
    IssuePasswordLink { mail: Option<QueueMail> }
}

impl IssuePasswordLink {
    /// Replaces the user's links with a new one, and emails it if there is an outbox. The current password
    /// stays valid until another one is chosen.
    pub async fn run(&self, user_id: UserId) -> Result<IssuedPasswordLink, IssuePasswordLinkError> {
        self.issue(user_id, false).await
    }

    /// Does the same for a person whose password somebody else knew: removes the password and the passkeys,
    /// and ends the sign-ins, so that only the link opens the account.
    pub async fn run_alone(&self, user_id: UserId) -> Result<IssuedPasswordLink, IssuePasswordLinkError> {
        self.issue(user_id, true).await
    }

    async fn issue(
        &self,
        user_id: UserId,
        is_alone: bool,
    ) -> Result<IssuedPasswordLink, IssuePasswordLinkError> {
        let now = self.trail.now();
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(user_id).await?.ok_or(IssuePasswordLinkError::NotFound)?;
        if user.email.is_sandbox() {
            return Err(IssuePasswordLinkError::SandboxPerson);
        }
        if !user.status.is_active() {
            return Err(IssuePasswordLinkError::UserLocked);
        }
        let secret = Secret::from_bytes(SecretKind::PasswordLink, &self.trail.entropy.secret_bytes());
        let stored = PasswordLink::new(secret.hash(), PasswordLinkPurpose::Invitation { user_id }, now);
        let had_password = unit.passwords().find(user_id).await?.is_some();
        let mut passkeys_removed = 0;
        if is_alone {
            passkeys_removed =
                remove_all_passkeys(unit.as_mut(), &user, self.mail.as_ref(), &self.trail).await?;
            drop_password(unit.as_mut(), user_id, now).await?;
        }
        unit.password_links().delete_of_user(user_id).await?;
        unit.password_links().insert(&stored).await?;
        if let Some(mail) = &self.mail {
            let link = IssuedLink { secret: &secret, stored: &stored };
            let message = if had_password {
                new_password(&user.email, mail.links(), &link, !is_alone)
            } else {
                invitation(&user.email, mail.links(), &link)
            };
            mail.run(unit.as_mut(), &message, now).await?;
        }
        let event = self.trail.event(AuditActor::Operator, AuditKind::PasswordLinkIssued);
        unit.audit().append(&event.user(user_id)).await?;
        unit.commit().await?;
        let (expires_at, is_mailed) = (stored.expires_at, self.mail.is_some());
        Ok(IssuedPasswordLink { link: secret, expires_at, is_mailed, passkeys_removed })
    }
}
