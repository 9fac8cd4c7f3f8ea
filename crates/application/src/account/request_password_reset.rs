//! Sends a link to somebody who forgot the password.

use super::{LinkRequestCommand, LinkRequestError, LinkRequestLimits, LinkRequestPorts};
use crate::mail::{HandedOutLink, QueueMail, reset};
use crate::ports::storage::UnitOfWork;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::password_link::PasswordLinkPurpose;
use domain::user::{Email, User};

/// Sends links to people who forgot their password. Made only when mail can be sent.
pub struct RequestPasswordReset {
    ports: LinkRequestPorts,
    limits: LinkRequestLimits,
    mail: QueueMail,
}

impl RequestPasswordReset {
    /// Takes the ports, the limits and the outbox.
    pub fn new(ports: LinkRequestPorts, limits: LinkRequestLimits, mail: QueueMail) -> Self {
        Self { ports, limits, mail }
    }

    /// Queues a link if an active account has this address. The answer is the same when there is none, and so is the
    /// work, but for a statement or two (security.md T80). Earlier links stay: else anybody could spoil them.
    pub async fn run(&self, command: LinkRequestCommand<'_>) -> Result<(), LinkRequestError> {
        self.ports.admit(&command, self.limits).await?;
        let email = Email::parse(command.email).map_err(|_| LinkRequestError::InvalidEmail)?;
        let now = self.ports.clock.now();
        let mut unit = self.ports.units.begin().await?;
        let found = unit.users().find_by_email(&email).await?;
        // Read again to be held until the end: else the link could go to an address that was just given up. For
        // nobody, somebody who is not there is looked up.
        let id = found.map_or_else(|| UserId::from_uuid(self.ports.entropy.uuid()), |user| user.id);
        let held = unit.users().find(id).await?;
        let has_address = |user: &User| user.email.normalised() == email.normalised();
        match held.filter(|user| user.status.is_active() && has_address(user)) {
            Some(user) => self.send(unit.as_mut(), &user, &command, now).await?,
            None => self.pretend(unit.as_mut(), email, now).await?,
        }
        unit.commit().await?;
        Ok(())
    }

    async fn send(
        &self,
        unit: &mut dyn UnitOfWork,
        user: &User,
        command: &LinkRequestCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), LinkRequestError> {
        let (secret, stored) = self.ports.draw(PasswordLinkPurpose::Reset { user_id: user.id }, now);
        unit.password_links().insert(&stored).await?;
        // To the address of the account, not to the one that was typed.
        let link = HandedOutLink { secret: &secret, stored: &stored };
        self.mail.run(unit, &reset(&user.email, self.mail.links(), &link), now).await?;
        self.ports.note_issue(unit, Some(user.id), command, now).await?;
        Ok(())
    }

    /// Writes the same rows and takes them away again in the same transaction, so that nobody sees them and the time
    /// does not tell that there is no account.
    async fn pretend(
        &self,
        unit: &mut dyn UnitOfWork,
        email: Email,
        now: DateTime<Utc>,
    ) -> Result<(), LinkRequestError> {
        let (secret, stored) = self.ports.draw(PasswordLinkPurpose::SignUp { email: email.clone() }, now);
        unit.password_links().insert(&stored).await?;
        unit.password_links().consume(&stored.hash).await?;
        let link = HandedOutLink { secret: &secret, stored: &stored };
        let message = self.mail.run(unit, &reset(&email, self.mail.links(), &link), now).await?;
        unit.outbox().delete(message).await?;
        Ok(())
    }
}
