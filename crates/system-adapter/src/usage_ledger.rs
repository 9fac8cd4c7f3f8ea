//! Sums of clients' requests in memory.

use application::ports::system::UsageLedger;
use domain::client_usage::{ClientUsage, UsageKey};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Sums requests until they are stored. Its size is bounded by the number of clients: no other requests are
/// recorded.
#[derive(Debug, Default)]
pub struct InProcessUsageLedger(Mutex<HashMap<UsageKey, ClientUsage>>);

impl InProcessUsageLedger {
    fn sums(&self) -> MutexGuard<'_, HashMap<UsageKey, ClientUsage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UsageLedger for InProcessUsageLedger {
    fn add(&self, usage: ClientUsage) {
        let mut sums = self.sums();
        let sum = match sums.remove(&usage.key) {
            Some(sum) => sum.plus(usage),
            None => usage,
        };
        sums.insert(sum.key, sum);
    }

    fn take(&self) -> Vec<ClientUsage> {
        std::mem::take(&mut *self.sums()).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use domain::client_usage::UsedEndpoint;
    use domain::id::ClientId;
    use uuid::Uuid;

    fn usage(status: u16) -> ClientUsage {
        let (client_id, day) = (ClientId::from_uuid(Uuid::nil()), NaiveDate::MIN);
        let key = UsageKey { client_id, day, endpoint: UsedEndpoint::Token, status };
        ClientUsage { key, requests: 1, fewest_left: None, rejection: None }
    }

    #[test]
    fn requests_with_one_key_are_summed_and_drained_once() {
        let ledger = InProcessUsageLedger::default();
        for status in [200, 400, 200] {
            ledger.add(usage(status));
        }
        let mut taken = ledger.take();
        taken.sort_unstable_by_key(|usage| usage.key);
        assert_eq!(taken, [ClientUsage { requests: 2, ..usage(200) }, usage(400)]);
        assert_eq!(ledger.take(), []);
    }

    #[test]
    fn no_request_is_lost_between_threads() {
        let ledger = InProcessUsageLedger::default();
        let taken: u64 = std::thread::scope(|scope| {
            let writers: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..500).for_each(|_| ledger.add(usage(200))))).collect();
            let mut taken = 0;
            while writers.iter().any(|writer| !writer.is_finished()) {
                taken += ledger.take().iter().map(|usage| usage.requests).sum::<u64>();
            }
            taken
        });
        let left: u64 = ledger.take().iter().map(|usage| usage.requests).sum();
        assert_eq!(taken + left, 2_000);
    }
}
