//! Counting and storing requests.

use super::{ClientRequest, FlushUsage, UsageRecorder};
use crate::ports::storage::{MockClientUsageStore, StorageError};
use crate::ports::system::{MockUsageLedger, UsageLedger};
use crate::testing::{client_id, clock, noon};
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use mockall::predicate::eq;
use std::sync::Arc;

fn usage(client: u128, status: u16) -> ClientUsage {
    let key = UsageKey {
        client_id: client_id(client),
        day: noon().date_naive(),
        endpoint: UsedEndpoint::Token,
        status,
    };
    ClientUsage { key, requests: 1, fewest_left: Some(3), rejection: None }
}

#[test]
fn a_request_is_recorded_on_its_day() {
    let mut ledger = MockUsageLedger::new();
    let rejection = Some(Rejection { reason: "the code has expired".to_owned(), at: noon() });
    ledger.expect_add().times(1).with(eq(usage(1, 429))).return_const(());
    ledger.expect_add().times(1).with(eq(ClientUsage { rejection, ..usage(1, 400) })).return_const(());
    let (client_id, endpoint) = (client_id(1), UsedEndpoint::Token);
    let request = ClientRequest { client_id, endpoint, left: Some(3), rejection: None };
    let recorder = UsageRecorder::new(Arc::new(ledger), clock());
    recorder.record(request.clone(), 429);
    recorder.record(ClientRequest { rejection: Some("the code has expired".into()), ..request }, 400);
}

#[tokio::test]
async fn sums_are_stored_in_key_order() {
    let mut ledger = MockUsageLedger::new();
    ledger.expect_take().times(1).return_once(|| vec![usage(2, 200), usage(1, 429), usage(1, 200)]);
    let mut store = MockClientUsageStore::new();
    let ordered = [usage(1, 200), usage(1, 429), usage(2, 200)];
    store.expect_add_usage().times(1).withf(move |sums| *sums == ordered).return_once(|_| Ok(()));
    FlushUsage::new(Arc::new(ledger), Arc::new(store)).run().await.unwrap();
}

#[tokio::test]
async fn sums_return_to_the_ledger_when_the_store_fails() {
    let mut ledger = MockUsageLedger::new();
    ledger.expect_take().times(1).return_once(|| vec![usage(1, 200)]);
    ledger.expect_add().times(1).with(eq(usage(1, 200))).return_const(());
    let mut store = MockClientUsageStore::new();
    store.expect_add_usage().times(1).return_once(|_| Err(StorageError::Unavailable));
    let ledger: Arc<dyn UsageLedger> = Arc::new(ledger);
    assert!(FlushUsage::new(ledger, Arc::new(store)).run().await.is_err());
}
