//! Test doubles: hasher, failure counters, clock, password strength checker, mail sealer.

use crate::ports::storage::test_support::Endings;
use crate::ports::storage::{FailureCount, FailureCounter, FailureKey, StorageError};
use crate::ports::system::{
    Clock, Mail, MailSealError, MailSealer, PasswordCheck, PasswordHasher, PasswordHashingError,
    PasswordStrengthChecker,
};
use crate::testing::noon;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::MessageId;
use domain::password::{Password, PasswordHash};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// A hash with current parameters.
pub(super) fn hash_of(password: &str) -> PasswordHash {
    PasswordHash::from_phc(format!("today:{password}"))
}

/// A hasher that records its calls, yields to other tasks as a real one does, and fails inside a unit of
/// work.
#[derive(Default)]
pub(super) struct RecordingHasher {
    pub(super) checked: Mutex<Vec<Option<PasswordHash>>>,
    /// Why no password is hashed, if none is.
    pub(super) fault: OnceLock<PasswordHashingError>,
    endings: Option<Arc<Endings>>,
}

impl RecordingHasher {
    /// Fails the test if it is called while one of these units of work is open.
    pub(super) fn outside(endings: Arc<Endings>) -> Self {
        Self { endings: Some(endings), ..Self::default() }
    }

    pub(super) fn checks(&self) -> usize {
        self.checked.lock().unwrap().len()
    }

    fn begin(&self) -> Result<(), PasswordHashingError> {
        if let Some(endings) = &self.endings {
            let open = endings.opened() - endings.committed() - endings.rolled_back();
            assert_eq!(open, 0, "a unit of work is open while a password is hashed");
        }
        self.fault.get().map_or(Ok(()), |fault| Err(*fault))
    }
}

#[async_trait]
impl PasswordHasher for RecordingHasher {
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordHashingError> {
        self.begin()?;
        Ok(hash_of(password.expose()))
    }

    async fn check<'a>(
        &self,
        password: &'a Password,
        stored: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError> {
        self.begin()?;
        self.checked.lock().unwrap().push(stored.cloned());
        tokio::task::yield_now().await;
        let (_, right) = stored.and_then(|hash| hash.as_phc().split_once(':')).unzip();
        Ok(PasswordCheck { is_right: right == Some(password.expose()), is_outdated: false })
    }
}

/// In-memory failure counters with the semantics of the stores.
#[derive(Default)]
pub(super) struct MemoryFailures(Mutex<HashMap<FailureKey, (DateTime<Utc>, u32)>>);

impl MemoryFailures {
    /// Returns the values of all non-zero counters, unordered.
    pub(super) fn counts(&self) -> Vec<u32> {
        self.0.lock().unwrap().values().map(|(_, count)| *count).filter(|count| *count > 0).collect()
    }
}

#[async_trait]
impl FailureCounter for MemoryFailures {
    async fn record_failure(
        &self,
        keys: &[FailureKey],
        at: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError> {
        tokio::task::yield_now().await;
        let mut counters = self.0.lock().unwrap();
        let counted = keys.iter().map(|key| {
            let counter = counters.entry(*key).or_insert((at, 0));
            if counter.0 + window <= at {
                *counter = (at, 0);
            }
            counter.1 += 1;
            FailureCount { count: counter.1, window_ends_at: counter.0 + window }
        });
        Ok(counted.collect())
    }

    async fn uncount(&self, keys: &[FailureKey], at: DateTime<Utc>) -> Result<(), StorageError> {
        let mut counters = self.0.lock().unwrap();
        for key in keys {
            if let Some((_, count)) = counters.get_mut(key).filter(|(began_at, _)| *began_at <= at) {
                *count = count.saturating_sub(1);
            }
        }
        Ok(())
    }

    async fn forget(&self, keys: &[FailureKey]) -> Result<(), StorageError> {
        self.0.lock().unwrap().retain(|key, _| !keys.contains(key));
        Ok(())
    }

    async fn delete_stale(&self, _: DateTime<Utc>, _: u32) -> Result<u64, StorageError> {
        unreachable!("no use case of accounts cleans up")
    }
}

/// A counter whose `number`th call fails.
pub(super) struct FailingAt {
    number: usize,
    calls: AtomicUsize,
    counters: MemoryFailures,
}

impl FailingAt {
    pub(super) fn call(number: usize) -> Self {
        Self { number, calls: AtomicUsize::new(0), counters: MemoryFailures::default() }
    }

    fn step(&self) -> Result<(), StorageError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if call == self.number { Err(StorageError::Unavailable) } else { Ok(()) }
    }
}

#[async_trait]
impl FailureCounter for FailingAt {
    async fn record_failure(
        &self,
        keys: &[FailureKey],
        at: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError> {
        self.step()?;
        self.counters.record_failure(keys, at, window).await
    }

    async fn uncount(&self, keys: &[FailureKey], at: DateTime<Utc>) -> Result<(), StorageError> {
        self.step()?;
        self.counters.uncount(keys, at).await
    }

    async fn forget(&self, keys: &[FailureKey]) -> Result<(), StorageError> {
        self.step()?;
        self.counters.forget(keys).await
    }

    async fn delete_stale(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.counters.delete_stale(before, limit).await
    }
}

/// A clock that tests set.
pub(super) struct MovableClock(Mutex<DateTime<Utc>>);

impl MovableClock {
    pub(super) fn at_noon() -> Arc<Self> {
        Arc::new(Self(Mutex::new(noon())))
    }

    pub(super) fn pass(&self, time: TimeDelta) {
        *self.0.lock().unwrap() += time;
    }
}

impl Clock for MovableClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

/// Rejects passwords that start with "password" or contain the name part of the address.
pub(super) struct WordListChecker;

impl PasswordStrengthChecker for WordListChecker {
    fn is_guessable(&self, password: &Password, about_the_person: &str) -> bool {
        let (name, _) = about_the_person.split_once('@').unwrap();
        password.expose().starts_with("password") || password.expose().contains(name)
    }
}

/// Records messages instead of sealing them.
#[derive(Default)]
pub(super) struct RecordingSealer(pub(super) Mutex<Vec<Mail>>);

impl RecordingSealer {
    pub(super) fn only(&self) -> Mail {
        let sealed = self.0.lock().unwrap();
        assert_eq!(sealed.len(), 1);
        sealed[0].clone()
    }
}

impl MailSealer for RecordingSealer {
    fn seal(&self, _: MessageId, mail: &Mail) -> Result<Vec<u8>, MailSealError> {
        self.0.lock().unwrap().push(mail.clone());
        Ok(b"sealed".to_vec())
    }

    fn open(&self, _: MessageId, _: &[u8]) -> Result<Mail, MailSealError> {
        unreachable!("the use cases of accounts never decrypt messages")
    }
}
