//! Repeated requests with the same `Idempotency-Key` get the same response.

use crate::ports::storage::{Claim, IdempotencyStore, IdempotentRequest, StorageError, StoredResponse};
use crate::ports::system::Clock;
use chrono::TimeDelta;
use derive_more::Constructor;
use std::sync::Arc;
use std::time::Duration;

/// Retention of a response.
pub const RESPONSE_RETENTION: TimeDelta = TimeDelta::hours(24);
/// Lifetime of a claim that is neither completed nor renewed, because its process crashed or hangs.
pub const CLAIM_LIFETIME: Duration = Duration::from_mins(5);
/// Interval at which a claim is renewed.
pub const CLAIM_RENEWAL_INTERVAL: Duration = Duration::from_mins(1);

/// Stores responses by the clients' keys.
#[derive(Constructor)]
pub struct IdempotentRequests {
    store: Arc<dyn IdempotencyStore>,
    clock: Arc<dyn Clock>,
}

impl IdempotentRequests {
    /// Claims the key of a request, or returns its state. After [`Claim::Acquired`] the caller calls
    /// [`Self::keep`] or [`Self::release`].
    pub async fn begin(&self, request: IdempotentRequest) -> Result<Claim, StorageError> {
        let now = self.clock.now();
        self.store.claim(request, now, now - CLAIM_LIFETIME, now - RESPONSE_RETENTION).await
    }

    /// Renews a claim. Returns `false` if the caller has lost it and must stop: another process may have
    /// handled the same request since, and its records may have changed after that.
    pub async fn renew(&self, request: IdempotentRequest) -> Result<bool, StorageError> {
        self.store.renew(request, self.clock.now()).await
    }

    /// Stores the response.
    pub async fn keep(
        &self,
        request: IdempotentRequest,
        answer: &StoredResponse,
    ) -> Result<(), StorageError> {
        self.store.keep(request, answer).await
    }

    /// Releases the key, because nothing was done.
    pub async fn release(&self, request: IdempotentRequest) -> Result<(), StorageError> {
        self.store.release(request).await
    }
}
