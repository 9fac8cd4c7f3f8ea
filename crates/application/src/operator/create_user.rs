//! Creates a user.

use crate::audit;
use crate::ports::storage::{StorageError, UniqueKey};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, BornInTheFuture, Email, User, UserStatus};

/// Input of [`CreateUser`].
#[derive(Debug, Clone)]
pub struct CreateUserCommand {
    /// Id, if it was assigned elsewhere; otherwise a random one.
    pub id: Option<UserId>,
    /// Email address.
    pub email: Email,
    /// Time zone of the user's dates.
    pub home_timezone: TimeZone,
    /// Biological values.
    pub biology: Biology,
}

/// Errors of [`CreateUser`].
#[derive(Debug, thiserror::Error)]
pub enum CreateUserError {
    /// Another user has this id.
    #[error("a user with this id exists already")]
    IdTaken,
    /// A user with this id was erased: the id is never reused.
    #[error("a user with this id was erased, and the id of an erased user cannot be reused")]
    IdErased,
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

impl From<StorageError> for CreateUserError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Conflict(UniqueKey::UserId) => Self::IdTaken,
            StorageError::Conflict(UniqueKey::UserEmail) => Self::EmailTaken,
            other => Self::Storage(other),
        }
    }
}

crate::audit::use_case! {
    /// Creates users.
    CreateUser
}

impl CreateUser {
    /// Creates an active user and returns them.
    pub async fn run(&self, command: CreateUserCommand) -> Result<User, CreateUserError> {
        let CreateUserCommand { id, email, home_timezone, biology } = command;
        biology.check_birth(self.trail.now())?;
        let user = User {
            id: id.unwrap_or_else(|| UserId::from_uuid(self.trail.entropy.uuid())),
            email,
            home_timezone,
            created_at: self.trail.now(),
            status: UserStatus::Active,
            biology,
        };
        let mut unit = self.units.begin().await?;
        if let Some(id) = id
            && unit.erasures().was_erased(id).await?
        {
            return unit.refuse(CreateUserError::IdErased).await;
        }
        unit.users().insert(&user).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::UserCreated).user(user.id);
        audit::commit(unit, &[event]).await?;
        Ok(user)
    }
}
