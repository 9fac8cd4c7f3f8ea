//! Tells what a link to choose a password is for, without using it.

use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::{Secret, SecretKind};
use domain::user::Email;
use std::sync::Arc;

/// A link that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsablePasswordLink {
    /// What it is for.
    pub purpose: PasswordLinkPurpose,
    /// The address of the account, or of the account to be.
    pub email: Email,
    /// From when on it counts no more.
    pub expires_at: DateTime<Utc>,
}

/// Why nothing is known of a link.
#[derive(Debug, thiserror::Error)]
pub enum FindPasswordLinkError {
    /// It is no link, was used, has ended, or its account is locked; which of them is not told.
    #[error("the link cannot be used")]
    Unusable,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Finds links.
pub struct FindPasswordLink {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl FindPasswordLink {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>) -> Self {
        Self { units, clock }
    }

    /// Returns what the link is for. Looking at it changes nothing: mail programs follow links on their own.
    pub async fn run(&self, link: &str) -> Result<UsablePasswordLink, FindPasswordLinkError> {
        let secret =
            Secret::parse(SecretKind::PasswordLink, link).map_err(|_| FindPasswordLinkError::Unusable)?;
        let mut unit = self.units.begin().await?;
        let found = find_usable(unit.as_mut(), &secret, self.clock.now()).await?;
        unit.rollback().await?;
        found.ok_or(FindPasswordLinkError::Unusable)
    }
}

/// Returns the link if it counts and its account, if it has one, can be used.
pub(super) async fn find_usable(
    unit: &mut dyn UnitOfWork,
    secret: &Secret,
    now: DateTime<Utc>,
) -> Result<Option<UsablePasswordLink>, StorageError> {
    let Some(link) = unit.password_links().find(&secret.hash()).await?.filter(|link| link.is_live(now))
    else {
        return Ok(None);
    };
    let PasswordLink { hash: _, purpose, expires_at } = link;
    let email = match &purpose {
        PasswordLinkPurpose::SignUp { email } => Some(email.clone()),
        PasswordLinkPurpose::Invitation { user_id } | PasswordLinkPurpose::Reset { user_id } => {
            let user = unit.users().find(*user_id).await?;
            user.filter(|user| user.status.is_active()).map(|user| user.email)
        }
    };
    Ok(email.map(|email| UsablePasswordLink { purpose, email, expires_at }))
}
