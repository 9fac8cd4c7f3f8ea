//! Self-service of developers: people register apps, which the operator approves later (ADR 69).

mod app_details;
mod app_secret;
mod approve_client;
mod change_app;
mod delete_app;
mod register_app;
mod sandbox_code;
mod show_developer_apps;

pub use app_details::*;
pub use app_secret::*;
pub use approve_client::*;
pub use change_app::*;
pub use delete_app::*;
pub use register_app::*;
pub use sandbox_code::*;
pub use show_developer_apps::*;

use crate::ports::storage::{StorageError, UnitOfWork};
use crate::sandbox::CreateSandboxError;
use chrono::{DateTime, Utc};
use domain::client::{Client, MAX_DRAFT_USERS};
use domain::id::{ClientId, UserId};
use domain::session::Session;
use std::net::IpAddr;

/// A developer and an app.
#[derive(Debug, Clone, Copy)]
pub struct AppCommand<'a> {
    /// The developer's session.
    pub session: &'a Session,
    /// The app.
    pub id: ClientId,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Why a developer's action is rejected.
#[derive(Debug, thiserror::Error)]
pub enum DeveloperAppError {
    /// The user must sign in again: the last sign-in was over five minutes ago, or the session has ended.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The account is locked or deleted.
    #[error("the account cannot be used")]
    AccountUnavailable,
    /// The details of the app are invalid; lists every fault.
    #[error("the details of the app are invalid")]
    Invalid(Vec<InvalidAppField>),
    /// The user has registered [`MAX_OWN_CLIENTS`](domain::client::MAX_OWN_CLIENTS) apps.
    #[error("there are too many apps; delete one first")]
    TooManyApps,
    /// The user has registered no such app.
    #[error("there is no such app")]
    NotFound,
    /// A public app has no secret.
    #[error("a public app has no secret")]
    NoSecret,
    /// The newest live secret of the app is not the one shown in the form.
    #[error("the newest secret has changed")]
    SecretChanged,
    /// The secret is the app's only live one, or no longer live.
    #[error("the app has no other live secret")]
    LastSecret,
    /// The operator has disabled the app; a disabled app cannot be deleted.
    #[error("the app is disabled")]
    Disabled,
    /// The operator has disabled the app.
    #[error("the app cannot receive codes")]
    NoCode,
    /// The user would have more than [`MAX_PER_OWNER`](domain::sandbox::MAX_PER_OWNER) sandbox people.
    #[error("the limit of sandbox people is reached")]
    TooManyPeople,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<CreateSandboxError> for DeveloperAppError {
    fn from(error: CreateSandboxError) -> Self {
        match error {
            CreateSandboxError::UnknownOwner => Self::AccountUnavailable,
            CreateSandboxError::TooMany => Self::TooManyPeople,
            CreateSandboxError::Invalid => Self::Storage(StorageError::Internal(error.into())),
            CreateSandboxError::Storage(error) => Self::Storage(error),
        }
    }
}

/// Checks that the account and the session can be used. Locks the user until the unit of work ends:
/// concurrent requests cannot exceed a limit, and no password change can end the session in between.
async fn check_owner(unit: &mut dyn UnitOfWork, session: &Session) -> Result<(), DeveloperAppError> {
    if unit.active_user(session.user_id).await?.is_none() {
        return Err(DeveloperAppError::AccountUnavailable);
    }
    let found = unit.sessions().find(session.user_id, session.id).await?;
    found.map(drop).ok_or(DeveloperAppError::NotFresh)
}

/// Finds an app of this owner, and locks it until the unit of work ends.
async fn find_own(
    unit: &mut dyn UnitOfWork,
    owner: UserId,
    id: ClientId,
) -> Result<Client, DeveloperAppError> {
    let found = unit.clients().find(id).await?;
    found.filter(|client| client.review.owner() == Some(owner)).ok_or(DeveloperAppError::NotFound)
}

/// Rolls back a unit of work without changes, and returns the error.
async fn refuse(unit: Box<dyn UnitOfWork>, error: DeveloperAppError) -> DeveloperAppError {
    match error {
        // After a storage error the unit of work must not be used.
        DeveloperAppError::Storage(_) => error,
        _ => unit.rollback().await.err().map_or(error, DeveloperAppError::Storage),
    }
}

/// Returns whether this person can grant access to the app. A draft admits its owner and
/// [`MAX_DRAFT_USERS`] other people, who stay admitted, and any number of sandbox people.
pub(crate) async fn admit_user(
    unit: &mut dyn UnitOfWork,
    client: &Client,
    user_id: UserId,
    at: DateTime<Utc>,
) -> Result<bool, StorageError> {
    if !client.review.limits(user_id) || unit.sandbox().find(user_id).await?.is_some() {
        return Ok(true);
    }
    unit.draft_users().admit(client.id, user_id, MAX_DRAFT_USERS, at).await
}

/// Returns whether a code of this person for the app can be redeemed. For a draft, only its owner and
/// admitted people have one.
pub(crate) async fn is_admitted(
    unit: &mut dyn UnitOfWork,
    client: &Client,
    user_id: UserId,
) -> Result<bool, StorageError> {
    if !client.review.limits(user_id) || unit.sandbox().find(user_id).await?.is_some() {
        return Ok(true);
    }
    unit.draft_users().is_admitted(client.id, user_id).await
}

#[cfg(test)]
mod tests;
