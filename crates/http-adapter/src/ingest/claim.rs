//! Claim of an idempotency key, renewed while its request is in progress.

use crate::state::ElapsedTimeSource;
use application::import::ingest::IdempotentRequest;
use application::import::ingest::{CLAIM_LIFETIME, CLAIM_RENEWAL_INTERVAL, IdempotentRequests};
use std::time::Duration;
use tokio::time::sleep;

/// Renewal interval and lifetime of a claim.
#[derive(Debug, Clone, Copy)]
struct Pace {
    interval: Duration,
    lifetime: Duration,
}

const PACE: Pace = Pace { interval: CLAIM_RENEWAL_INTERVAL, lifetime: CLAIM_LIFETIME };

/// Renews a claim repeatedly, and returns when it is lost.
///
/// It is lost if another replica has it, or may have it because this process stalled or could not reach the
/// store for the lifetime of a claim. The work must then stop: another replica may have processed the request
/// since, and later requests may have changed the result.
pub(super) async fn until_lost(
    once: &IdempotentRequests,
    request: IdempotentRequest,
    elapsed_time: &ElapsedTimeSource,
) {
    lost_at(once, request, elapsed_time, PACE).await;
}

async fn lost_at(
    once: &IdempotentRequests,
    request: IdempotentRequest,
    elapsed_time: &ElapsedTimeSource,
    pace: Pace,
) {
    let mut renewed_at = elapsed_time();
    loop {
        sleep(pace.interval).await;
        let asked = elapsed_time();
        if asked.saturating_sub(renewed_at) >= pace.lifetime {
            return;
        }
        match once.renew(request).await {
            Ok(true) => renewed_at = asked,
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "the claim of an idempotency key was not extended; trying again");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::FixedClock;
    use application::StorageError;
    use application::ports::storage::MockIdempotencyStore;
    use domain::id::ClientId;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use uuid::Uuid;

    /// Returns the number of renewals until the claim was lost, with a clock that advances a second per
    /// reading.
    async fn count_renewals(lifetime: Duration, answer: fn(u32) -> Result<bool, StorageError>) -> u32 {
        let (mut store, times) = (MockIdempotencyStore::new(), Arc::new(AtomicU32::new(0)));
        let counted = times.clone();
        store.expect_renew().returning(move |_, _| answer(counted.fetch_add(1, Ordering::Relaxed)));
        let once = IdempotentRequests::new(Arc::new(store), Arc::new(FixedClock));
        let client_id = ClientId::from_uuid(Uuid::nil());
        let request = IdempotentRequest { client_id, key: [1; 32], content: [2; 32] };
        let looked = AtomicU32::new(0);
        let elapsed_time: ElapsedTimeSource =
            Arc::new(move || Duration::from_secs(looked.fetch_add(1, Ordering::Relaxed).into()));
        lost_at(&once, request, &elapsed_time, Pace { interval: Duration::from_millis(1), lifetime }).await;
        times.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn a_claim_is_renewed_until_another_replica_has_it() {
        assert_eq!(count_renewals(Duration::from_hours(1), |before| Ok(before < 20)).await, 21);
    }

    #[tokio::test]
    async fn a_store_that_fails_for_a_time_does_not_lose_a_claim() {
        let answer = |before| match before {
            0..3 | 5..8 => Err(StorageError::Unavailable),
            20 => Ok(false),
            _ => Ok(true),
        };
        assert_eq!(count_renewals(Duration::from_hours(1), answer).await, 21);
    }

    #[tokio::test]
    async fn a_claim_that_is_not_renewed_within_its_lifetime_is_lost() {
        assert_eq!(count_renewals(Duration::from_secs(50), |_| Err(StorageError::Unavailable)).await, 49);
    }
}
