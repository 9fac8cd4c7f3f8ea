//! A short-lived cache of live grants and personal tokens.

use application::ports::storage::{AccessReader, AccessState, PersonalAccess, StorageError};
use application::ports::system::Clock;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{GrantId, UserId};
use domain::secret::SecretHash;
use metrics::{Histogram, histogram};
use moka::sync::Cache;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum age of a cached result (decisions 3: revocation takes effect within 2 s).
const MAX_AGE: Duration = Duration::from_secs(1);
/// Maximum number of cached grants, and of cached personal tokens; about 200 bytes each.
const CAPACITY: u64 = 100_000;

/// How long an accepted reader is remembered for measuring the delay of its revocation.
const REMEMBER_DURATION: Duration = Duration::from_secs(3);

/// Caches the access check of grants and personal tokens that were live a moment ago.
///
/// Only live results are cached. Absence, revocation and failures are read again every time, so access that
/// returns takes effect at once. Concurrent misses each ask the store.
pub struct CachedAccessReader {
    inner: Arc<dyn AccessReader>,
    max_age: Duration,
    grants: Cache<(UserId, GrantId), CachedResult<AccessState>>,
    personal: Cache<[u8; 32], CachedResult<PersonalAccess>>,
    delay: Option<RevocationDelay>,
}

/// Measures how long revocations take to be noticed here.
struct RevocationDelay {
    clock: Arc<dyn Clock>,
    seconds: Histogram,
}

impl RevocationDelay {
    fn observe(&self, ended_at: DateTime<Utc>) {
        // The clocks of two machines differ: a revocation in the future counts as no delay.
        let delay = (self.clock.now() - ended_at).to_std().unwrap_or_default();
        self.seconds.record(delay.as_secs_f64());
    }
}

#[derive(Clone, Copy)]
struct CachedResult<T> {
    /// When the store was queried; the result may be that old.
    asked_at: Instant,
    state: T,
}

impl CachedAccessReader {
    /// Wraps a reader. Results expire after `max_age`, at most one second; 0 disables the cache.
    pub fn new(inner: Arc<dyn AccessReader>, max_age: Duration) -> Self {
        Self::with_any_age(inner, max_age.min(MAX_AGE))
    }

    fn with_any_age(inner: Arc<dyn AccessReader>, max_age: Duration) -> Self {
        let kept = max_age.max(REMEMBER_DURATION);
        let grants = Cache::builder().max_capacity(CAPACITY).time_to_live(kept).build();
        let personal = Cache::builder().max_capacity(CAPACITY).time_to_live(kept).build();
        Self { inner, max_age, grants, personal, delay: None }
    }

    /// Records the time from a revocation, by this clock, to the first refusal here. Only readers accepted
    /// within the last three seconds are measured; for others it would be the time since their last request.
    #[must_use]
    pub fn measuring(self, clock: Arc<dyn Clock>) -> Self {
        let seconds = histogram!("restwell_revocation_delay_seconds");
        Self { delay: Some(RevocationDelay { clock, seconds }), ..self }
    }

    /// Records that access ended, and removes the cached result so that this happens once.
    fn ended<K, T>(&self, answers: &Cache<K, CachedResult<T>>, key: &K, ended_at: Option<DateTime<Utc>>)
    where
        K: Hash + Eq + Send + Sync + 'static,
        T: Copy + Send + Sync + 'static,
    {
        let was_let_in =
            answers.remove(key).is_some_and(|answer| answer.asked_at.elapsed() < REMEMBER_DURATION);
        if let (true, Some(delay), Some(ended_at)) = (was_let_in, &self.delay, ended_at) {
            delay.observe(ended_at);
        }
    }

    fn remembered<K, T>(&self, answers: &Cache<K, CachedResult<T>>, key: &K) -> Option<T>
    where
        K: Hash + Eq + Send + Sync + 'static,
        T: Copy + Send + Sync + 'static,
    {
        let answer = answers.get(key)?;
        (answer.asked_at.elapsed() < self.max_age).then_some(answer.state)
    }
}

#[async_trait]
impl AccessReader for CachedAccessReader {
    async fn find_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError> {
        if self.max_age.is_zero() {
            return self.inner.find_access(user_id, grant_id).await;
        }
        let key = (user_id, grant_id);
        if let Some(state) = self.remembered(&self.grants, &key) {
            return Ok(Some(state));
        }
        let asked_at = Instant::now();
        let found = self.inner.find_access(user_id, grant_id).await?;
        match found {
            Some(state) if state.is_live => self.grants.insert(key, CachedResult { asked_at, state }),
            Some(state) => self.ended(&self.grants, &key, state.ended_at),
            None => {}
        }
        Ok(found)
    }

    async fn find_personal_access(&self, hash: &SecretHash) -> Result<Option<PersonalAccess>, StorageError> {
        if self.max_age.is_zero() {
            return self.inner.find_personal_access(hash).await;
        }
        let key = *hash.as_bytes();
        if let Some(state) = self.remembered(&self.personal, &key) {
            return Ok(Some(state));
        }
        let asked_at = Instant::now();
        let found = self.inner.find_personal_access(hash).await?;
        match found {
            // The caller compares the expiry, because it depends on the time of the request.
            Some(state) if state.is_live => self.personal.insert(key, CachedResult { asked_at, state }),
            Some(state) => self.ended(&self.personal, &key, state.ended_at),
            None => {}
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
