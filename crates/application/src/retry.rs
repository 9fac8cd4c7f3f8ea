//! Repetition of work that a store stores completely or not at all.

use crate::ports::storage::StorageError;
use crate::ports::system::Pause;
use std::array;
use std::time::Duration;

/// Pauses before each retry, 26 seconds in all. This covers a failover to a standby and a short overload of
/// the database.
pub(crate) const RETRY_DELAYS: [Duration; 9] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_600),
    Duration::from_millis(3_200),
    Duration::from_secs(5),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

/// Number of tries after conflicts: a concurrent writer of the same records may win several times.
const MAX_TRIES: u32 = 5;

/// Tries of a transaction of an import or ingest.
pub(crate) struct Tries<'a> {
    pause: Option<&'a dyn Pause>,
    pauses: array::IntoIter<Duration, 9>,
    made: u32,
}

impl<'a> Tries<'a> {
    /// Counts from the first try. Without a pause, an unreachable store is not waited for: the caller waits
    /// for the response, or retries.
    pub(crate) fn new(pause: Option<&'a dyn Pause>) -> Self {
        Self { pause, pauses: RETRY_DELAYS.into_iter(), made: 1 }
    }

    /// Returns whether to repeat the whole transaction after this error: immediately if a concurrent one won,
    /// and after a pause if the store is unreachable.
    pub(crate) async fn again(&mut self, error: &StorageError) -> bool {
        match error {
            StorageError::Conflict(_) | StorageError::Retryable => {
                self.made += 1;
                self.made <= MAX_TRIES
            }
            StorageError::Unavailable | StorageError::Disk(_) => {
                let Some((pause, length)) = self.pause.zip(self.pauses.next()) else { return false };
                pause.pause(length).await;
                true
            }
            StorageError::Corrupt { .. } | StorageError::Internal(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::storage::UniqueKey;
    use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
    use crate::ports::system::MockPause;
    use crate::store::transact;
    use crate::testing::store;
    use std::sync::{Arc, Mutex};

    /// Commits to a store that fails this often. Returns whether it succeeded, the number of transactions,
    /// and the pauses.
    async fn commit(
        failures: usize,
        error: fn() -> StorageError,
        may_wait: bool,
    ) -> (bool, usize, Vec<Duration>) {
        let unit = |number| {
            let mut unit = MockUnitOfWork::default();
            unit.commit_error = (number < failures).then(error);
            unit
        };
        let units = Arc::new(PreparedUnitsOfWork::new((0..=failures).map(unit)));
        let store = store(&units);
        let waited = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&waited);
        let mut pause = MockPause::new();
        pause.expect_pause().returning(move |length| noted.lock().unwrap().push(length));
        let mut tries = Tries::new(may_wait.then_some(&pause as &dyn Pause));
        let outcome = loop {
            match transact!(store, |_tx| { Ok::<_, StorageError>(()) }).await {
                Err(error) if tries.again(&error).await => {}
                outcome => break outcome,
            }
        };
        (outcome.is_ok(), units.endings().opened(), waited.lock().unwrap().clone())
    }

    #[tokio::test]
    async fn a_transaction_that_the_store_aborts_is_tried_five_times_without_a_pause() {
        for error in [|| StorageError::Retryable, || StorageError::Conflict(UniqueKey::SleepSession)] {
            assert_eq!(commit(4, error, true).await, (true, 5, Vec::new()));
            assert_eq!(commit(5, error, true).await, (false, 5, Vec::new()));
        }
    }

    #[tokio::test]
    async fn an_unreachable_store_is_waited_for_if_the_caller_can_wait() {
        assert_eq!(commit(9, || StorageError::Unavailable, true).await, (true, 10, RETRY_DELAYS.to_vec()));
        assert!(!commit(10, || StorageError::Unavailable, true).await.0);
        assert_eq!(commit(1, || StorageError::Unavailable, false).await, (false, 1, Vec::new()));
    }

    #[tokio::test]
    async fn an_error_that_would_happen_again_ends_the_tries() {
        let corrupt = || StorageError::Corrupt { table: "user", column: "email", row: "1".to_owned() };
        assert_eq!(commit(1, corrupt, true).await, (false, 1, Vec::new()));
    }
}
