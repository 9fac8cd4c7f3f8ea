//! Remembers for a moment that a grant is live.

use application::ports::storage::{AccessReader, AccessState, PersonalAccess, StorageError};
use async_trait::async_trait;
use domain::id::{GrantId, UserId};
use domain::secret::SecretHash;
use moka::sync::Cache;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No answer of an [`AccessReader`] may be older (decisions 3: revocation takes effect within 2 s).
const MAX_AGE: Duration = Duration::from_secs(1);
/// How many grants are remembered, and how many personal tokens; some 200 bytes each.
const CAPACITY: u64 = 100_000;

/// Spares the store the access check of a grant or a personal token that was found live a moment ago.
///
/// Only a live answer is remembered: absence, what is revoked and a failure are asked again every time, so
/// that nobody is kept out for longer than the store says. Requests that miss at the same time each ask.
pub struct CachedAccessReader {
    inner: Arc<dyn AccessReader>,
    max_age: Duration,
    grants: Cache<(UserId, GrantId), Answer<AccessState>>,
    personal: Cache<[u8; 32], Answer<PersonalAccess>>,
}

#[derive(Clone, Copy)]
struct Answer<T> {
    /// Before the store was asked: the answer may be as old as the question.
    asked_at: Instant,
    state: T,
}

impl CachedAccessReader {
    /// How long a live answer is remembered when no setting says otherwise.
    pub const DEFAULT_MAX_AGE: Duration = MAX_AGE;

    /// Wraps a reader; answers live for `max_age`, at most one second, and 0 switches remembering off.
    pub fn new(inner: Arc<dyn AccessReader>, max_age: Duration) -> Self {
        Self::with_any_age(inner, max_age.min(MAX_AGE))
    }

    fn with_any_age(inner: Arc<dyn AccessReader>, max_age: Duration) -> Self {
        let grants = Cache::builder().max_capacity(CAPACITY).time_to_live(max_age).build();
        let personal = Cache::builder().max_capacity(CAPACITY).time_to_live(max_age).build();
        Self { inner, max_age, grants, personal }
    }

    fn remembered<K, T>(&self, answers: &Cache<K, Answer<T>>, key: &K) -> Option<T>
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
        if let Some(state) = found.filter(|state| state.is_live) {
            self.grants.insert(key, Answer { asked_at, state });
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
        // Its end is not judged here: that is a matter of the moment, which the caller knows.
        if let Some(state) = found.filter(|state| state.is_live) {
            self.personal.insert(key, Answer { asked_at, state });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
