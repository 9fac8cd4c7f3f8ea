//! Sends a sign-up link.

use super::{LinkRequestCommand, LinkRequestError, LinkRequestPorts};
use crate::mail::{IssuedLink, account_exists, sign_up};
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::password_link::PasswordLinkPurpose;
use domain::user::{Email, User};

/// Sends sign-up links. Exists only if the settings allow sign-up and the server can send email.
#[derive(Constructor)]
pub struct RequestSignUp {
    ports: LinkRequestPorts,
}

impl RequestSignUp {
    /// Queues a link, or an email that the account exists. Only the reader of the mailbox learns which; the
    /// response and the work are the same (security.md T80).
    pub async fn run(&self, command: LinkRequestCommand<'_>) -> Result<(), LinkRequestError> {
        self.ports.admit(&command).await?;
        let email = Email::parse(command.email).map_err(|_| LinkRequestError::InvalidEmail)?;
        let now = self.ports.clock.now();
        let mut unit = self.ports.units.begin().await?;
        match unit.users().find_by_email(&email).await? {
            None => self.send(unit.as_mut(), email, &command, now).await?,
            Some(user) => self.send_notice(unit.as_mut(), user, now).await?,
        }
        Ok(unit.commit().await?)
    }

    async fn send(
        &self,
        unit: &mut dyn UnitOfWork,
        email: Email,
        command: &LinkRequestCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let (secret, stored) = self.ports.draw(PasswordLinkPurpose::SignUp { email: email.clone() }, now);
        unit.password_links().insert(&stored).await?;
        let link = IssuedLink { secret: &secret, stored: &stored };
        self.ports.mail.run(unit, &sign_up(&email, self.ports.mail.links(), &link), now).await?;
        self.ports.note_issue(unit, None, command, now).await
    }

    /// Also writes and deletes an unused link, because the time for one could be measured.
    async fn send_notice(
        &self,
        unit: &mut dyn UnitOfWork,
        user: User,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let purpose = PasswordLinkPurpose::SignUp { email: user.email.clone() };
        let (_, stored) = self.ports.draw(purpose, now);
        unit.password_links().insert(&stored).await?;
        unit.password_links().consume(&stored.hash).await?;
        self.ports.mail.run(unit, &account_exists(&user.email, self.ports.mail.links()), now).await.map(drop)
    }
}
