//! Sends a link that confirms a new email address.

use super::{LinkRequestCommand, LinkRequestError, LinkRequestPorts};
use crate::mail::{IssuedLink, confirm_email, email_change_requested};
use crate::ports::storage::StorageError;
use derive_more::Constructor;
use domain::audit::AuditKind;
use domain::password_link::PasswordLinkPurpose;
use domain::session::Session;
use domain::user::Email;
use std::net::IpAddr;

/// Input of [`RequestEmailChange`].
#[derive(Clone, Copy)]
pub struct EmailChangeCommand<'a> {
    /// The session of the request; must be fresh.
    pub session: &'a Session,
    /// New address, as typed.
    pub email: &'a str,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Errors of [`RequestEmailChange`]. None depends on whether another account has the address.
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

/// Sends links that confirm a new email address. Exists only if the server can send email.
#[derive(Constructor)]
pub struct RequestEmailChange {
    ports: LinkRequestPorts,
}

impl RequestEmailChange {
    /// Queues a link to the new address, and a notice to the current one. The address changes only when the
    /// link is used, so the response reveals nothing about other accounts (security.md T80).
    pub async fn run(&self, command: EmailChangeCommand<'_>) -> Result<(), EmailChangeError> {
        let EmailChangeCommand { session, email, address } = command;
        let now = self.ports.clock.now();
        if !session.is_fresh(now) {
            return Err(EmailChangeError::NotFresh);
        }
        let request = LinkRequestCommand { email, address };
        self.ports.admit(&request).await.map_err(LinkRequestError::from)?;
        let email = Email::parse(email).map_err(|_| LinkRequestError::InvalidEmail)?;
        let user_id = session.user_id;
        let mut unit = self.ports.units.begin().await?;
        let user = unit.users().find(user_id).await?.filter(|user| user.status.is_active());
        let is_live = unit.sessions().find(user_id, session.id).await?.is_some();
        let Some(user) = user.filter(|_| is_live) else {
            return unit.refuse(EmailChangeError::SessionEnded).await;
        };
        if user.email == email {
            return unit.refuse(EmailChangeError::SameAddress).await;
        }
        let purpose = PasswordLinkPurpose::EmailChange { user_id, email: email.clone() };
        let (secret, stored) = self.ports.draw(purpose, now);
        unit.password_links().insert(&stored).await?;
        let link = IssuedLink { secret: &secret, stored: &stored };
        let links = self.ports.mail.links();
        self.ports.mail.run(unit.as_mut(), &confirm_email(&email, links, &link), now).await?;
        self.ports.mail.run(unit.as_mut(), &email_change_requested(&user.email, links), now).await?;
        let event = self.ports.event(AuditKind::EmailChangeRequested, address, now).user(user_id);
        unit.audit().append(&event).await?;
        Ok(unit.commit().await?)
    }
}
