//! Shows a person their profile.

use crate::ports::storage::{PackedSleepRow, ProfileReader, SleepPageQuery, SleepReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::time::DateRange;
use domain::user::{ProfileSource, User};
use std::sync::Arc;

/// A profile with the sources of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownProfile {
    /// The profile.
    pub user: User,
    /// Sources of values that were set after the account was created.
    pub sources: Vec<ProfileSource>,
}

/// Shows profiles.
#[derive(Constructor)]
pub struct ShowProfile {
    profiles: Arc<dyn ProfileReader>,
    sleep: Arc<dyn SleepReader>,
}

impl ShowProfile {
    /// Returns a profile; `None` if the user was just erased.
    pub async fn run(&self, user_id: UserId) -> Result<Option<ShownProfile>, StorageError> {
        let Some(user) = self.profiles.find_profile(user_id).await? else { return Ok(None) };
        let sources = self.profiles.list_sources(user_id).await?;
        Ok(Some(ShownProfile { user, sources }))
    }

    /// Returns the latest night, to show how its times read in another zone.
    pub async fn latest_night(&self, user_id: UserId) -> Result<Option<PackedSleepRow>, StorageError> {
        let query = SleepPageQuery {
            user_id,
            range: DateRange::default(),
            page: PageRequest {
                number: PageNumber::FIRST,
                size: PageSize::new(1).unwrap_or(PageSize::SLEEP_DEFAULT),
                sort: SortDirection::Descending,
            },
            with_stages: false,
            with_metrics: false,
        };
        Ok(self.sleep.page(query).await?.rows.into_iter().next())
    }
}
