//! Counting and storing requests.

use super::{ClientRequest, FlushUsage, UsageRecorder};
use crate::ports::storage::{MockClientUsageStore, StorageError};
use crate::ports::system::UsageLedger;
use crate::testing::{client_id, clock, noon};
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use std::sync::{Arc, Mutex};

fn usage(client: u128, status: u16) -> ClientUsage {
    let key = UsageKey {
        client_id: client_id(client),
        day: noon().date_naive(),
        endpoint: UsedEndpoint::Token,
        status,
    };
    ClientUsage { key, requests: 1, fewest_left: Some(3), rejection: None }
}

/// A ledger in memory.
#[derive(Default)]
struct Ledger(Mutex<Vec<ClientUsage>>);

impl Ledger {
    fn holding(sums: &[ClientUsage]) -> Arc<Self> {
        Arc::new(Self(Mutex::new(sums.to_vec())))
    }
}

impl UsageLedger for Ledger {
    fn add(&self, usage: ClientUsage) {
        self.0.lock().unwrap().push(usage);
    }

    fn take(&self) -> Vec<ClientUsage> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A store that is given these sums once.
fn storing(
    expected: Vec<ClientUsage>,
    outcome: fn() -> Result<(), StorageError>,
) -> Arc<MockClientUsageStore> {
    let mut store = MockClientUsageStore::new();
    store.expect_add_usage().times(1).withf(move |sums| *sums == expected).returning(move |_| outcome());
    Arc::new(store)
}

#[test]
fn a_request_is_recorded_on_its_day() {
    let ledger = Ledger::holding(&[]);
    let rejection = Some(Rejection { reason: "the code has expired".to_owned(), at: noon() });
    let (client_id, endpoint) = (client_id(1), UsedEndpoint::Token);
    let request = ClientRequest { client_id, endpoint, left: Some(3), rejection: None };
    let recorder = UsageRecorder::new(ledger.clone(), clock());
    recorder.record(request.clone(), 429);
    recorder.record(ClientRequest { rejection: Some("the code has expired".into()), ..request }, 400);
    assert_eq!(ledger.take(), [usage(1, 429), ClientUsage { rejection, ..usage(1, 400) }]);
}

#[tokio::test]
async fn sums_are_stored_in_key_order() {
    let ledger = Ledger::holding(&[usage(2, 200), usage(1, 429), usage(1, 200)]);
    let store = storing(vec![usage(1, 200), usage(1, 429), usage(2, 200)], || Ok(()));
    FlushUsage::new(ledger.clone(), store).run().await.unwrap();
    assert_eq!(ledger.take(), []);
}

#[tokio::test]
async fn sums_return_to_the_ledger_when_the_store_fails() {
    let ledger = Ledger::holding(&[usage(1, 200)]);
    let store = storing(vec![usage(1, 200)], || Err(StorageError::Unavailable));
    assert!(FlushUsage::new(ledger.clone(), store).run().await.is_err());
    assert_eq!(ledger.take(), [usage(1, 200)]);
}
