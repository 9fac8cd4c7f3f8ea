//! Keeps the ring as the store has it: on a timer, and when a token names a key that was never loaded.

use crate::key_ring::Ed25519KeyRing;
use crate::token::KeyNeed;
use application::key::{ReloadSigningKeys, SigningKeyError};
use application::ports::storage::StorageError;
use application::ports::system::UnknownKeyReload;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, sleep_until};

/// How far apart the reloads are that tokens with unknown keys cause, however many of them come.
const PAUSE: Duration = Duration::from_secs(1);
/// How many requests may wait for a reload. Who sends that many made-up `kid`s has the rest answered with 503 until
/// the next reload, rather than let them pile up.
const PLACES: usize = 512;

/// Reloads the signing keys, one reload after the other, whoever asks for it.
///
/// A token of an unknown key waits for a reload that began after it came: its key was stored before it was signed, so
/// that reload finds the key or there is none. The first starts a reload at once, those that come within the same
/// second share the next one.
pub struct SharedKeyReload {
    ring: Arc<Ed25519KeyRing>,
    reload: ReloadSigningKeys,
    last: Mutex<LastReload>,
    places: Semaphore,
}

#[derive(Default)]
struct LastReload {
    /// When the last one began, for whatever reason, and whether it went well.
    begun: Option<(Instant, bool)>,
    /// When the last one began that a token caused.
    for_token: Option<Instant>,
}

impl SharedKeyReload {
    /// Takes the ring, and the use case that loads the keys of the store into this same ring.
    pub fn new(ring: Arc<Ed25519KeyRing>, reload: ReloadSigningKeys) -> Self {
        Self { ring, reload, last: Mutex::default(), places: Semaphore::new(PLACES) }
    }

    /// Reloads now; returns whether the keys are others than before.
    pub async fn run(&self) -> Result<bool, SigningKeyError> {
        self.reload(&mut *self.last.lock().await).await
    }

    async fn reload(&self, last: &mut LastReload) -> Result<bool, SigningKeyError> {
        let began_at = Instant::now();
        let outcome = self.reload.run().await;
        last.begun = Some((began_at, outcome.is_ok()));
        outcome
    }

    /// Returns after a reload that began later than `asked_at`, its own or another's.
    async fn reload_after(&self, asked_at: Instant) -> Result<(), StorageError> {
        loop {
            let mut last = self.last.lock().await;
            if let Some((_, is_well)) = last.begun.filter(|(began_at, _)| *began_at >= asked_at) {
                return if is_well { Ok(()) } else { Err(StorageError::Unavailable) };
            }
            let now = Instant::now();
            let Some(next) = last.for_token.map(|before| before + PAUSE).filter(|next| *next > now) else {
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
            // Loaded since the check, or forged: the second check tells.
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

/// Keys that do not open make a replica unready, which its log tells; whether the token is good it cannot know.
fn unavailable(error: SigningKeyError) -> StorageError {
    match error {
        SigningKeyError::Storage(error) => error,
        SigningKeyError::KeyRing(_) => StorageError::Unavailable,
    }
}

#[cfg(test)]
mod tests;
