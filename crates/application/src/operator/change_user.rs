//! Changes a user: email address, time zone, biology, lock.

use crate::audit;
use crate::ports::storage::{StorageError, UniqueKey};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, BornInTheFuture, Email, ProfileOrigin, ProfileSource, User, UserStatus};

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

/// Errors of [`ChangeUser`].
#[derive(Debug, thiserror::Error)]
pub enum ChangeUserError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// A sandbox person keeps their email address, which marks them as such.
    #[error("this is a sandbox person, whose email address cannot be changed")]
    SandboxPerson,
    /// Another user has this email address, ignoring case.
    #[error("a user with this email address already exists")]
    EmailTaken,
    /// The birth date is in the future.
    #[error(transparent)]
    BornInTheFuture(#[from] BornInTheFuture),
    /// The store failed.
    #[error(transparent)]
    Storage(StorageError),
}

impl From<StorageError> for ChangeUserError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Conflict(UniqueKey::UserEmail) => Self::EmailTaken,
            other => Self::Storage(other),
        }
    }
}

crate::audit::use_case! {
    /// Changes users.
    ChangeUser
}

impl ChangeUser {
    /// Changes a user and returns them. A lock ends their sessions, and their tokens within two seconds. A
    /// lock or another email address deletes their password links.
    pub async fn run(&self, id: UserId, change: UserChange) -> Result<User, ChangeUserError> {
        change.biology.check_birth(self.trail.now())?;
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(id).await?.ok_or(ChangeUserError::NotFound)?;
        if change.email.is_some() && user.email.is_sandbox() {
            return Err(ChangeUserError::SandboxPerson);
        }
        let changed = self.apply(user.clone(), change);
        if !unit.users().update(&changed).await? {
            return Err(ChangeUserError::NotFound);
        }
        let now = self.trail.now();
        let sources = ProfileSource::of_change(&user, &changed, ProfileOrigin::Operator, now);
        if !sources.is_empty() {
            unit.users().record_sources(id, &sources).await?;
        }
        let is_locked_now = user.status.is_active() && !changed.status.is_active();
        if changed.email != user.email || is_locked_now {
            // The links were sent to the old address, whose owner must not set the password of this account.
            unit.password_links().delete_of_user(id).await?;
            unit.pending_sign_ins().delete_of_user(id).await?;
        }
        if is_locked_now {
            // Sessions must not survive until the account is unlocked.
            unit.sessions().delete_of_user(id, None).await?;
        }
        audit::commit(unit, &self.events(&user, &changed)).await?;
        Ok(changed)
    }

    fn apply(&self, user: User, change: UserChange) -> User {
        let UserChange { email, home_timezone, biology, locked } = change;
        let status = match (locked, user.status) {
            (Some(true), UserStatus::Active) => UserStatus::Locked { at: self.trail.now() },
            (Some(false), _) => UserStatus::Active,
            (_, status) => status,
        };
        User {
            id: user.id,
            email: email.unwrap_or(user.email),
            home_timezone: home_timezone.unwrap_or(user.home_timezone),
            created_at: user.created_at,
            status,
            biology: biology.over(user.biology),
        }
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
        kinds.map(|kind| self.trail.event(AuditActor::Operator, kind).user(before.id)).collect()
    }
}
