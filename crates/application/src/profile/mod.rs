//! A person's profile: shown to them, and changed by them.

#[cfg(test)]
mod tests;

use crate::ports::storage::{ProfileReader, StorageError};
use crate::store::{Store, transact};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::user::{BornInTheFuture, ProfileField, ProfileOrigin, ProfileSource, ProfileValue, User};
use std::sync::Arc;

/// People's profiles.
pub struct Profiles {
    /// The store.
    pub store: Store,
    /// Reader of profiles.
    pub reader: Arc<dyn ProfileReader>,
}

/// A profile with the sources of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownProfile {
    /// The profile.
    pub user: User,
    /// Sources of values that were set after the account was created.
    pub sources: Vec<ProfileSource>,
}

/// Why a profile is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
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

impl Profiles {
    /// Returns a profile; `None` if the user was just erased.
    pub async fn find(&self, user_id: UserId) -> Result<Option<ShownProfile>, StorageError> {
        let Some(user) = self.reader.find_profile(user_id).await? else { return Ok(None) };
        let sources = self.reader.list_sources(user_id).await?;
        Ok(Some(ShownProfile { user, sources }))
    }

    /// Sets these values on behalf of the person; other fields stay unchanged. Returns how many fields
    /// changed.
    pub async fn change(&self, user_id: UserId, values: &[ProfileValue]) -> Result<usize, ProfileError> {
        if values.iter().any(|value| value.field() == ProfileField::CreatedAt) {
            return Err(ProfileError::Fixed);
        }
        if values.iter().any(|value| value.is_in_the_future(self.store.now())) {
            return Err(BornInTheFuture.into());
        }
        transact!(self.store, |tx| {
            let known = tx.users().find(user_id).await?.ok_or(ProfileError::NotFound)?;
            let mut user = known.clone();
            for value in values {
                value.write(&mut user);
            }
            let sources = ProfileSource::of_change(&known, &user, ProfileOrigin::Person, self.store.now());
            if !sources.is_empty() {
                tx.users().update(&user).await?;
                tx.users().record_sources(user_id, &sources).await?;
                let event = self.store.event(AuditActor::Person, AuditKind::UserChanged);
                tx.record(event.user(user_id)).await?;
            }
            Ok(sources.len())
        })
        .await
    }
}
