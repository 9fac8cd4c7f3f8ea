//! Remembers where pages far back begin.

use application::ports::storage::{
    SleepLandmarks, SleepPage, SleepPageQuery, SleepPosition, SleepReader, StorageError,
};
use async_trait::async_trait;
use domain::id::UserId;
use domain::sleep::SleepSession;
use moka::sync::Cache;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Of how many people something is remembered. With what the cache itself takes it is 1.5 kB for each: 6 MB when full.
const PEOPLE: u64 = 4_096;
/// For how long at most: starts of sessions are nothing to be kept beside the store.
const KEPT_FOR: Duration = Duration::from_mins(10);
/// Before this many sessions a skip costs less than what would be gained.
const SHALLOW: i64 = 250;

/// Spares the store the skip to a page far back.
///
/// What is remembered is only ever proposed: the store compares the state of the person's records in the snapshot that it
/// reads, so that an answer is what it would be without. A person has one place in the cache, however many pages are
/// asked for: only a great many people together could push somebody out, and all that it costs is the skip.
pub struct LandmarkSleepReader {
    inner: Arc<dyn SleepReader>,
    people: Cache<UserId, Arc<Mutex<SleepLandmarks>>>,
}

impl LandmarkSleepReader {
    /// Wraps a reader.
    pub fn new(inner: Arc<dyn SleepReader>) -> Self {
        let people = Cache::builder().max_capacity(PEOPLE).time_to_live(KEPT_FOR).build();
        Self { inner, people }
    }
}

#[async_trait]
impl SleepReader for LandmarkSleepReader {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        if query.page.offset() < SHALLOW {
            return self.inner.page(query).await;
        }
        let person = self.people.get(&query.user_id);
        let known = person.as_deref().and_then(|landmarks| held(landmarks).nearest(&query));
        let page = self.inner.page(SleepPageQuery { known, ..query }).await?;
        if page.state.is_some() {
            let person = person.unwrap_or_else(|| self.people.get_with(query.user_id, Arc::default));
            held(&person).learn(&query, &page);
        }
        Ok(page)
    }

    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<SleepSession>, StorageError> {
        self.inner.walk(user_id, after, limit).await
    }
}

/// A panic while it was held can only have lost places.
fn held(landmarks: &Mutex<SleepLandmarks>) -> MutexGuard<'_, SleepLandmarks> {
    landmarks.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
