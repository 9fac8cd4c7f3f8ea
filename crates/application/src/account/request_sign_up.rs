//! Sends a link to somebody who wants an account.

use super::{LinkRequestCommand, LinkRequestError, LinkRequestLimits, LinkRequestPorts};
use crate::mail::{HandedOutLink, QueueMail, account_exists, sign_up};
use crate::ports::storage::UnitOfWork;
use chrono::{DateTime, Utc};
use domain::password_link::PasswordLinkPurpose;
use domain::user::{Email, User};

/// Sends links to people who want an account. Made only when the settings open the sign-up and mail can be sent.
pub struct RequestSignUp {
    ports: LinkRequestPorts,
    limits: LinkRequestLimits,
    mail: QueueMail,
}

impl RequestSignUp {
    /// Takes the ports, the limits and the outbox.
    pub fn new(ports: LinkRequestPorts, limits: LinkRequestLimits, mail: QueueMail) -> Self {
        Self { ports, limits, mail }
    }

    /// Queues a link, or the message that there is an account already. Only whoever reads the mail learns which; the
    /// answer and the work are the same (security.md T80).
    pub async fn run(&self, command: LinkRequestCommand<'_>) -> Result<(), LinkRequestError> {
        self.ports.admit(&command, self.limits).await?;
        let email = Email::parse(command.email).map_err(|_| LinkRequestError::InvalidEmail)?;
        let now = self.ports.clock.now();
        let mut unit = self.ports.units.begin().await?;
        match unit.users().find_by_email(&email).await? {
            None => self.send(unit.as_mut(), email, &command, now).await?,
            Some(user) => self.send_notice(unit.as_mut(), user, now).await?,
        }
        unit.commit().await?;
        Ok(())
    }

    async fn send(
        &self,
        unit: &mut dyn UnitOfWork,
        email: Email,
        command: &LinkRequestCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), LinkRequestError> {
        let (secret, stored) = self.ports.draw(PasswordLinkPurpose::SignUp { email: email.clone() }, now);
        unit.password_links().insert(&stored).await?;
        let link = HandedOutLink { secret: &secret, stored: &stored };
        self.mail.run(unit, &sign_up(&email, self.mail.links(), &link), now).await?;
        self.ports.note_issue(unit, None, command, now).await?;
        Ok(())
    }

    /// Writes a link that nobody learns and takes it away again, because a link costs time that could be measured.
    async fn send_notice(
        &self,
        unit: &mut dyn UnitOfWork,
        user: User,
        now: DateTime<Utc>,
    ) -> Result<(), LinkRequestError> {
        let purpose = PasswordLinkPurpose::SignUp { email: user.email.clone() };
        let (_, stored) = self.ports.draw(purpose, now);
        unit.password_links().insert(&stored).await?;
        unit.password_links().consume(&stored.hash).await?;
        self.mail.run(unit, &account_exists(&user.email, self.mail.links()), now).await?;
        Ok(())
    }
}
