//! Reloading of signing keys: on a timer, and when a token names an unknown key.

use crate::key_ring::Ed25519KeyRing;
use crate::token::KeyNeed;
use application::key::{SigningKeyError, reload_signing_keys};
use application::ports::storage::{SigningKeyReader, StorageError};
use application::ports::system::UnknownKeyReload;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::signing_key::SigningKey;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, sleep_until};

/// Minimum interval between reloads caused by tokens with unknown keys.
const MIN_RELOAD_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of requests that wait for a reload; further ones receive 503. This bounds the number of
/// requests that can be delayed by invented `kid`s.
const MAX_WAITING: usize = 512;

/// Reloads the signing keys, one reload at a time.
///
/// A token with an unknown key waits for a reload that starts after the token arrived. Keys are stored before
/// they sign, so a key that this reload does not find does not exist. The first such token starts a reload at
/// once; those within the next second share one.
pub struct SharedKeyReload {
    ring: Arc<Ed25519KeyRing>,
    reader: Arc<dyn SigningKeyReader>,
    last: Mutex<LastReload>,
    places: Semaphore,
}

#[derive(Default)]
struct LastReload {
    /// Keys of the store.
    keys: Vec<SigningKey>,
    /// When the last reload started, and whether it succeeded.
    started_at: Option<(Instant, bool)>,
    /// When the last reload for a token started.
    for_token: Option<Instant>,
}

impl SharedKeyReload {
    /// Takes the ring and the reader of the keys that are loaded into it.
    pub fn new(ring: Arc<Ed25519KeyRing>, reader: Arc<dyn SigningKeyReader>) -> Self {
        Self { ring, reader, last: Mutex::default(), places: Semaphore::new(MAX_WAITING) }
    }

    /// Reloads now; returns whether the keys changed.
    pub async fn run(&self) -> Result<bool, SigningKeyError> {
        self.reload(&mut *self.last.lock().await).await
    }

    async fn reload(&self, last: &mut LastReload) -> Result<bool, SigningKeyError> {
        let began_at = Instant::now();
        let outcome = reload_signing_keys(&*self.reader, &*self.ring, &mut last.keys).await;
        last.started_at = Some((began_at, outcome.is_ok()));
        outcome
    }

    /// Returns after a reload that started later than `asked_at`.
    async fn reload_after(&self, asked_at: Instant) -> Result<(), StorageError> {
        loop {
            let mut last = self.last.lock().await;
            if let Some((_, is_well)) = last.started_at.filter(|(began_at, _)| *began_at >= asked_at) {
                return if is_well { Ok(()) } else { Err(StorageError::Unavailable) };
            }
            let now = Instant::now();
            let Some(next) =
                last.for_token.map(|before| before + MIN_RELOAD_INTERVAL).filter(|next| *next > now)
            else {
                last.for_token = Some(now);
                return self.reload(&mut last).await.map(drop).map_err(unavailable);
            };
            drop(last);
            sleep_until(next).await;
        }
    }
}

#[async_trait]
impl UnknownKeyReload for SharedKeyReload {
    async fn reload_for(&self, token: &str, now: DateTime<Utc>) -> Result<bool, StorageError> {
        match self.ring.key_need(token, now) {
            KeyNeed::Hopeless => Ok(false),
            // Loaded since the check, or forged: the caller's second check decides.
            KeyNeed::Known => Ok(true),
            KeyNeed::UnknownKey => {
                let asked_at = Instant::now();
                let _place = self.places.try_acquire().map_err(|_| StorageError::Unavailable)?;
                self.reload_after(asked_at).await?;
                Ok(self.ring.key_need(token, now) == KeyNeed::Known)
            }
        }
    }
}

/// Maps a failed reload to an unavailable store, because the token may be valid. Keys that cannot be
/// decrypted make the replica unready and are logged elsewhere.
fn unavailable(error: SigningKeyError) -> StorageError {
    match error {
        SigningKeyError::Storage(error) => error,
        SigningKeyError::KeyRing(_) => StorageError::Unavailable,
    }
}

#[cfg(test)]
mod tests;
