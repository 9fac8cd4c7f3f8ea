//! Clients: the operator registers them, and people register apps, which the operator approves later
//! (ADR 69).

mod admission;
mod app_details;
mod change;
mod developer_app;
mod registration;
mod secrets;

#[cfg(test)]
mod tests;

pub(crate) use admission::{admit_user, is_admitted};
pub use app_details::{AppForm, InvalidAppField};
pub use change::{ChangedApp, ClientChange};
pub use developer_app::{DailyLimit, DeveloperApp, MAX_COUNTED_GRANTS};
pub use registration::{CreatedClient, NewClient};
pub(crate) use secrets::{new_client_secret, rotate_secret};

use crate::access::DailyLimits;
use crate::ports::storage::{ClientReader, ClientUsageStore, GrantReader, StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::Store;
use domain::audit::{AuditEvent, AuditKind};
use domain::client::{Client, ClientKind};
use domain::id::ClientId;
use std::sync::Arc;

/// Clients. The methods about apps are for the people who develop them, all others for the operator.
pub struct Clients {
    /// The store.
    pub store: Store,
    /// Reader of clients.
    pub reader: Arc<dyn ClientReader>,
    /// Reader of grants.
    pub grants: Arc<dyn GrantReader>,
    /// Counts of requests.
    pub usage: Arc<dyn ClientUsageStore>,
    /// Daily limits on requests.
    pub limits: DailyLimits,
}

/// A person who acts as the developer of an app. Nothing is done if the app is not theirs.
#[derive(Debug, Clone, Copy)]
pub struct AppDeveloper<'a> {
    /// The person.
    pub person: &'a SignedInPerson,
    /// The app.
    pub app: ClientId,
}

impl AppDeveloper<'_> {
    fn event(self, store: &Store, kind: AuditKind) -> AuditEvent {
        self.person.event(store, kind).client(self.app)
    }
}

/// Why the operator's command about a client is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No client has this id.
    #[error("there is no client with this id")]
    NotFound,
    /// An app needs a redirect URI.
    #[error("an app needs at least one redirect URI")]
    NoRedirectUri,
    /// A client needs a scope.
    #[error("a client needs at least one scope")]
    NoScope,
    /// A scope is not allowed for this kind of client (decisions 3).
    #[error("{}", registration::scopes_of(*.0))]
    ScopeNotForThisKind(ClientKind),
    /// A public app has no secret to rotate.
    #[error("a public app has no secret")]
    NoSecret,
    /// The client's metadata document determines its properties.
    #[error("the client is registered from its metadata document: it can only be enabled and disabled")]
    FromDocument,
    /// A public app must use PKCE.
    #[error("a public app must use PKCE")]
    PkceNeeded,
    /// The developer changed the client after the operator had reviewed it.
    #[error("this is not the client's current revision")]
    ChangedSinceReview,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a developer's form about an app is rejected.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
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
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Clients {
    fn check_fresh(&self, person: &SignedInPerson) -> Result<(), AppError> {
        person.session.is_fresh(self.store.now()).then_some(()).ok_or(AppError::NotFresh)
    }
}

/// Checks that the account and the session can be used. Locks the user until the transaction ends: concurrent
/// requests cannot exceed a limit, and no password change can end the session in between.
async fn lock_person(tx: &mut dyn UnitOfWork, person: &SignedInPerson) -> Result<(), AppError> {
    tx.active_user(person.user_id).await?.ok_or(AppError::AccountUnavailable)?;
    let found = tx.sessions().find(person.user_id, person.session.id).await?;
    found.map(drop).ok_or(AppError::NotFresh)
}

/// Locks the developer and then the app until the transaction ends.
async fn lock_app(tx: &mut dyn UnitOfWork, developer: AppDeveloper<'_>) -> Result<Client, AppError> {
    let AppDeveloper { person, app } = developer;
    lock_person(tx, person).await?;
    let found = tx.clients().find(app).await?;
    found.filter(|client| client.review.owner() == Some(person.user_id)).ok_or(AppError::NotFound)
}
