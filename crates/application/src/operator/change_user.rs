//! Changes a person: address, zone, body, lock.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use std::sync::Arc;

/// What is to change; what is missing stays as it is.
#[derive(Debug, Clone, Default)]
pub struct UserChange {
    /// A new address.
    pub email: Option<Email>,
    /// A new zone. What was recorded before keeps the offsets it was recorded with.
    pub home_timezone: Option<TimeZone>,
    /// Biological values; those that are missing stay as they are.
    pub biology: Biology,
    /// Whether the account is to be locked or unlocked.
    pub locked: Option<bool>,
}

/// Why a person is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeUserError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// Somebody else has this address, case aside.
    #[error("a user with this email address already exists")]
    EmailTaken,
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

/// Changes people.
pub struct ChangeUser {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
}

impl ChangeUser {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        let trail = AuditTrail::new(entropy, clock.clone());
        Self { units, clock, trail }
    }

    /// Changes a person and returns them as they are now. A lock ends their sessions, and their tokens within two
    /// seconds; a lock and another address end the links to choose a password.
    pub async fn run(&self, id: UserId, change: UserChange) -> Result<User, ChangeUserError> {
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(id).await?.ok_or(ChangeUserError::NotFound)?;
        let changed = self.apply(user.clone(), change);
        if !unit.users().update(&changed).await? {
            return Err(ChangeUserError::NotFound);
        }
        let is_locked_now = user.status.is_active() && !changed.status.is_active();
        if changed.email != user.email || is_locked_now {
            // They went to the former address: whoever reads its mail must not choose the password of this account.
            unit.password_links().delete_of_user(id).await?;
        }
        if is_locked_now {
            // Whoever was in must not be in again when the account is unlocked.
            unit.sessions().delete_of_user(id, None).await?;
        }
        audit::commit(unit, &self.events(&user, &changed)).await?;
        Ok(changed)
    }

    fn apply(&self, user: User, change: UserChange) -> User {
        let UserChange { email, home_timezone, biology, locked } = change;
        let status = match (locked, user.status) {
            (Some(true), UserStatus::Active) => UserStatus::Locked { at: self.clock.now() },
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

    /// Tells what differs: the lock and everything else are events of their own.
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
