//! Users: the operator creates, changes, locks and shows them.

#[cfg(test)]
mod tests;

use crate::ports::storage::{ProfileReader, StorageError, UniqueKey};
use crate::store::{Store, transact};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, BornInTheFuture, Email, ProfileOrigin, ProfileSource, User, UserStatus};
use std::sync::Arc;

/// Users.
pub struct Users {
    /// The store.
    pub store: Store,
    /// Reader of users.
    pub reader: Arc<dyn ProfileReader>,
}

/// A user to create.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Id, if it was assigned elsewhere; otherwise a random one.
    pub id: Option<UserId>,
    /// Email address.
    pub email: Email,
    /// Time zone of the user's dates.
    pub home_timezone: TimeZone,
    /// Biological values.
    pub biology: Biology,
}

/// Changes to a user; `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct UserChange {
    /// New email address.
    pub email: Option<Email>,
    /// New time zone. Existing records keep their offsets.
    pub home_timezone: Option<TimeZone>,
    /// Biological values; missing ones stay unchanged.
    pub biology: Biology,
    /// Whether the account is locked.
    pub locked: Option<bool>,
}

/// Why a user is not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum UserError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// Another user has this id.
    #[error("a user with this id exists already")]
    IdTaken,
    /// A user with this id was erased: the id is never reused.
    #[error("a user with this id was erased, and the id of an erased user cannot be reused")]
    IdErased,
    /// Another user has this email address, ignoring case.
    #[error("a user with this email address already exists")]
    EmailTaken,
    /// A sandbox person keeps their email address, which marks them as such.
    #[error("this is a sandbox person, whose email address cannot be changed")]
    SandboxPerson,
    /// The birth date is in the future.
    #[error(transparent)]
    BornInTheFuture(#[from] BornInTheFuture),
    /// The store failed.
    #[error(transparent)]
    Storage(StorageError),
}

impl From<StorageError> for UserError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Conflict(UniqueKey::UserId) => Self::IdTaken,
            StorageError::Conflict(UniqueKey::UserEmail) => Self::EmailTaken,
            other => Self::Storage(other),
        }
    }
}

impl Users {
    /// Creates an active user and returns them.
    pub async fn create(&self, new: NewUser) -> Result<User, UserError> {
        let NewUser { id, email, home_timezone, biology } = new;
        let now = self.store.now();
        biology.check_birth(now)?;
        let new_id = id.unwrap_or_else(|| UserId::from_uuid(self.store.entropy().uuid()));
        let user = User { biology, ..User::new(new_id, email, home_timezone, now) };
        transact!(self.store, |tx| {
            if let Some(id) = id
                && tx.erasures().was_erased(id).await?
            {
                return Err(UserError::IdErased);
            }
            tx.users().insert(&user).await?;
            let event = self.store.event(AuditActor::Operator, AuditKind::UserCreated);
            tx.record(event.user(user.id)).await?;
            Ok(user)
        })
        .await
    }

    /// Changes a user and returns them. A lock ends their sessions, and their tokens within two seconds. A
    /// lock or another email address deletes their password links.
    pub async fn change(&self, user_id: UserId, change: UserChange) -> Result<User, UserError> {
        change.biology.check_birth(self.store.now())?;
        transact!(self.store, |tx| {
            let user = tx.users().find(user_id).await?.ok_or(UserError::NotFound)?;
            if change.email.is_some() && user.email.is_sandbox() {
                return Err(UserError::SandboxPerson);
            }
            let now = self.store.now();
            let changed = change.apply(user.clone(), now);
            if !tx.users().update(&changed).await? {
                return Err(UserError::NotFound);
            }
            let sources = ProfileSource::of_change(&user, &changed, ProfileOrigin::Operator, now);
            if !sources.is_empty() {
                tx.users().record_sources(user_id, &sources).await?;
            }
            let is_locked_now = user.status.is_active() && !changed.status.is_active();
            if changed.email != user.email || is_locked_now {
                // The links were sent to the old address, whose owner must not set the password of this
                // account.
                tx.password_links().delete_of_user(user_id).await?;
                tx.pending_sign_ins().delete_of_user(user_id).await?;
            }
            if is_locked_now {
                // Sessions must not survive until the account is unlocked.
                tx.sessions().delete_of_user(user_id, None).await?;
            }
            for event in self.events(&user, &changed) {
                tx.record(event).await?;
            }
            Ok(changed)
        })
        .await
    }

    /// Returns the user after recording the access in the audit trail; `None` if there is none.
    pub async fn show(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        let Some(user) = self.reader.find_profile(user_id).await? else { return Ok(None) };
        let event = self.store.event(AuditActor::Operator, AuditKind::ProfileShown).user(user_id);
        transact!(self.store, |tx| { tx.audit().append_once(&event, event.at).await }).await?;
        Ok(Some(user))
    }

    /// Returns the events of a change: one for the lock, one for everything else.
    fn events(&self, before: &User, after: &User) -> Vec<AuditEvent> {
        let lock = match (before.status.is_active(), after.status.is_active()) {
            (true, false) => Some(AuditKind::UserLocked),
            (false, true) => Some(AuditKind::UserUnlocked),
            (true, true) | (false, false) => None,
        };
        let is_changed = User { status: before.status, ..after.clone() } != *before;
        let kinds = is_changed.then_some(AuditKind::UserChanged).into_iter().chain(lock);
        kinds.map(|kind| self.store.event(AuditActor::Operator, kind).user(before.id)).collect()
    }
}

impl UserChange {
    fn apply(self, user: User, now: DateTime<Utc>) -> User {
        let Self { email, home_timezone, biology, locked } = self;
        let status = match (locked, user.status) {
            (Some(true), UserStatus::Active) => UserStatus::Locked { at: now },
            (Some(false), _) => UserStatus::Active,
            (_, status) => status,
        };
        User {
            email: email.unwrap_or(user.email),
            home_timezone: home_timezone.unwrap_or(user.home_timezone),
            status,
            biology: biology.over(user.biology),
            ..user
        }
    }
}
