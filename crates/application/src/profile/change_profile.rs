//! Changes a person's own profile.

use crate::audit;
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::user::{BornInTheFuture, ProfileField, ProfileOrigin, ProfileSource, ProfileValue};

/// Errors of [`ChangeProfile`].
#[derive(Debug, thiserror::Error)]
pub enum ChangeProfileError {
    /// The user does not exist.
    #[error("there is no user with this id")]
    NotFound,
    /// A person cannot change when their profile was created.
    #[error("the field cannot be changed")]
    Fixed,
    /// The birth date is in the future.
    #[error(transparent)]
    BornInTheFuture(#[from] BornInTheFuture),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Changes profiles on behalf of the person.
    ChangeProfile
}

impl ChangeProfile {
    /// Sets these values; other fields stay unchanged. Returns how many fields changed.
    pub async fn run(&self, user_id: UserId, values: &[ProfileValue]) -> Result<usize, ChangeProfileError> {
        if values.iter().any(|value| value.field() == ProfileField::CreatedAt) {
            return Err(ChangeProfileError::Fixed);
        }
        if values.iter().any(|value| value.is_in_the_future(self.trail.now())) {
            return Err(BornInTheFuture.into());
        }
        let mut unit = self.units.begin().await?;
        let Some(known) = unit.users().find(user_id).await? else {
            return unit.refuse(ChangeProfileError::NotFound).await;
        };
        let mut user = known.clone();
        for value in values {
            value.write(&mut user);
        }
        let sources = ProfileSource::of_change(&known, &user, ProfileOrigin::Person, self.trail.now());
        if sources.is_empty() {
            unit.rollback().await?;
            return Ok(0);
        }
        unit.users().update(&user).await?;
        unit.users().record_sources(user_id, &sources).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::UserChanged);
        audit::commit(unit, &[event.user(user_id)]).await?;
        Ok(sources.len())
    }
}
