//! Remembers for a moment that a grant is live.

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

/// No answer of an [`AccessReader`] may be older (decisions 3: revocation takes effect within 2 s).
const MAX_AGE: Duration = Duration::from_secs(1);
/// How many grants are remembered, and how many personal tokens; some 200 bytes each.
const CAPACITY: u64 = 100_000;

/// For how long it is known that somebody was let in, so that a refusal says how long a revocation took.
const KNOWN_FOR: Duration = Duration::from_secs(3);

/// Spares the store the access check of a grant or a personal token that was found live a moment ago.
///
/// Only a live answer is remembered: absence, what is revoked and a failure are asked again every time, so
/// that nobody is kept out for longer than the store says. Requests that miss at the same time each ask.
pub struct CachedAccessReader {
    inner: Arc<dyn AccessReader>,
    max_age: Duration,
    grants: Cache<(UserId, GrantId), Answer<AccessState>>,
    personal: Cache<[u8; 32], Answer<PersonalAccess>>,
    delay: Option<RevocationDelay>,
}

/// How long revocations take to be noticed here.
struct RevocationDelay {
    clock: Arc<dyn Clock>,
    seconds: Histogram,
}

impl RevocationDelay {
    fn observe(&self, ended_at: DateTime<Utc>) {
        // The clocks of two machines differ a little: what was refused before it was revoked took no time.
        let delay = (self.clock.now() - ended_at).to_std().unwrap_or_default();
        self.seconds.record(delay.as_secs_f64());
    }
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
        let kept = max_age.max(KNOWN_FOR);
        let grants = Cache::builder().max_capacity(CAPACITY).time_to_live(kept).build();
        let personal = Cache::builder().max_capacity(CAPACITY).time_to_live(kept).build();
        Self { inner, max_age, grants, personal, delay: None }
    }

    /// Measures from now on how long it takes from a revocation, by this clock, to the first refusal here. Only of
    /// what was let in within the three seconds before: of others it would measure how long nobody asked.
    #[must_use]
    pub fn measuring(self, clock: Arc<dyn Clock>) -> Self {
        let seconds = histogram!("restwell_revocation_delay_seconds");
        Self { delay: Some(RevocationDelay { clock, seconds }), ..self }
    }

    /// Notes that the store says that something ended. What was remembered of it goes, so that it is noted once.
    fn ended<K, T>(&self, answers: &Cache<K, Answer<T>>, key: &K, ended_at: Option<DateTime<Utc>>)
    where
        K: Hash + Eq + Send + Sync + 'static,
        T: Copy + Send + Sync + 'static,
    {
        let was_let_in = answers.remove(key).is_some_and(|answer| answer.asked_at.elapsed() < KNOWN_FOR);
        if let (true, Some(delay), Some(ended_at)) = (was_let_in, &self.delay, ended_at) {
            delay.observe(ended_at);
        }
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
        match found {
            Some(state) if state.is_live => self.grants.insert(key, Answer { asked_at, state }),
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
            // Its end is not judged here: that is a matter of the moment, which the caller knows.
            Some(state) if state.is_live => self.personal.insert(key, Answer { asked_at, state }),
            Some(state) => self.ended(&self.personal, &key, state.ended_at),
            None => {}
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
