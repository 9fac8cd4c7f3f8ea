//! Sends a password reset link.

use super::{LinkRequestCommand, LinkRequestError, LinkRequestPorts};
use crate::mail::{IssuedLink, reset};
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::id::UserId;
use domain::password_link::PasswordLinkPurpose;
use domain::user::{Email, User};

/// Sends password reset links. Exists only if the server can send email.
#[derive(Constructor)]
pub struct RequestPasswordReset {
    ports: LinkRequestPorts,
}

impl RequestPasswordReset {
    /// Queues a link if an active account has this address. The response is always the same, and the work
    /// differs by a statement or two (security.md T80). Earlier links stay valid: otherwise anyone could
    /// invalidate them.
    pub async fn run(&self, command: LinkRequestCommand<'_>) -> Result<(), LinkRequestError> {
        self.ports.admit(&command).await?;
        let email = Email::parse(command.email).map_err(|_| LinkRequestError::InvalidEmail)?;
        let now = self.ports.clock.now();
        let mut unit = self.ports.units.begin().await?;
        let found = unit.users().find_by_email(&email).await?;
        // Read again to lock the row: otherwise the link could go to an address that was just given up. If
        // there is no account, a random id is looked up.
        let id = found.map_or_else(|| UserId::from_uuid(self.ports.entropy.uuid()), |user| user.id);
        let locked = unit.users().find(id).await?;
        let has_address = |user: &User| user.email.normalised() == email.normalised();
        match locked.filter(|user| user.status.is_active() && has_address(user)) {
            Some(user) => self.send(unit.as_mut(), &user, &command, now).await?,
            None => self.write_decoy(unit.as_mut(), email, now).await?,
        }
        Ok(unit.commit().await?)
    }

    async fn send(
        &self,
        unit: &mut dyn UnitOfWork,
        user: &User,
        command: &LinkRequestCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let (secret, stored) = self.ports.draw(PasswordLinkPurpose::Reset { user_id: user.id }, now);
        unit.password_links().insert(&stored).await?;
        // Sent to the address of the account, not to the typed one.
        let link = IssuedLink { secret: &secret, stored: &stored };
        self.ports.mail.run(unit, &reset(&user.email, self.ports.mail.links(), &link), now).await?;
        self.ports.note_issue(unit, Some(user.id), command, now).await
    }

    /// Writes the same rows and deletes them in the same transaction, so that timing does not reveal that
    /// there is no account.
    async fn write_decoy(
        &self,
        unit: &mut dyn UnitOfWork,
        email: Email,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let (secret, stored) = self.ports.draw(PasswordLinkPurpose::SignUp { email: email.clone() }, now);
        unit.password_links().insert(&stored).await?;
        unit.password_links().consume(&stored.hash).await?;
        let link = IssuedLink { secret: &secret, stored: &stored };
        let message = self.ports.mail.run(unit, &reset(&email, self.ports.mail.links(), &link), now).await?;
        unit.outbox().delete(message).await.map(drop)
    }
}
