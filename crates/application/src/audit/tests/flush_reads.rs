use super::tally;
use crate::audit::FlushReads;
use crate::audit::testing::RecordedReads;
use crate::ports::storage::{MockReadTallyStore, ReadTallyStore, StorageError};
use crate::ports::system::ReadLedger;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{PersonalTokenId, UserId};
use domain::read_tally::{ReadKind, ReadTally, Reader, TallyKey};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A ledger with one read of each of this many users, last user first.
fn holding(people: u128) -> Arc<RecordedReads> {
    let ledger = Arc::<RecordedReads>::default();
    (0..people).rev().for_each(|person| ledger.add(tally(person, 0)));
    ledger
}

fn people_of(tallies: &[ReadTally]) -> Vec<UserId> {
    tallies.iter().map(|tally| tally.key.user_id).collect()
}

/// Stores this many batches, then fails.
fn taking(batches: usize, taken: &Arc<Mutex<Vec<Vec<ReadTally>>>>) -> Arc<MockReadTallyStore> {
    let taken = Arc::clone(taken);
    let mut store = MockReadTallyStore::new();
    store.expect_add().returning(move |tallies| {
        let mut taken = taken.lock().unwrap();
        if taken.len() == batches {
            return Err(StorageError::Unavailable);
        }
        taken.push(tallies.to_vec());
        Ok(())
    });
    Arc::new(store)
}

#[tokio::test]
async fn sums_are_stored_in_batches_of_five_hundred_in_one_order() {
    let (ledger, taken) = (holding(1_201), Arc::default());
    let flush = FlushReads::new(ledger.clone(), taking(9, &taken));
    assert_eq!(flush.run().await.unwrap(), 1_201);
    let taken = taken.lock().unwrap();
    assert_eq!(taken.iter().map(Vec::len).collect::<Vec<_>>(), [500, 500, 201]);
    let stored = taken.concat();
    assert!(people_of(&stored).is_sorted());
    assert_eq!(ledger.all(), []);
}

#[tokio::test]
async fn the_reads_of_a_person_are_ordered_by_minute_then_reader_then_kind() {
    let earlier = tally(1, 5);
    let own = Reader::PersonalToken(PersonalTokenId::from_uuid(Uuid::nil()));
    let by_token = ReadTally { key: TallyKey { reader: own, ..tally(1, 4).key }, ..tally(1, 4) };
    let refresh = ReadTally { key: TallyKey { kind: ReadKind::Refresh, ..tally(1, 4).key }, ..tally(1, 4) };
    let expected = [earlier, tally(1, 4), refresh, by_token];
    for turned in 0..expected.len() {
        let mut added = expected;
        added.rotate_left(turned);
        let (ledger, taken) = (Arc::<RecordedReads>::default(), Arc::default());
        for tally in added {
            ledger.add(tally);
        }
        FlushReads::new(ledger, taking(1, &taken)).run().await.unwrap();
        assert_eq!(*taken.lock().unwrap(), [expected.to_vec()]);
    }
}

#[tokio::test]
async fn an_empty_ledger_does_not_use_the_store() {
    let flush = FlushReads::new(holding(0), Arc::new(MockReadTallyStore::new()));
    assert_eq!(flush.run().await.unwrap(), 0);
}

#[tokio::test]
async fn reads_that_a_failing_store_rejects_are_stored_once_later() {
    let (ledger, taken) = (holding(1_201), Arc::default());
    let outcome = FlushReads::new(ledger.clone(), taking(1, &taken)).run().await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
    assert_eq!(ledger.all().len(), 701);
    // A read added in the meantime is stored with the rest.
    ledger.add(tally(7_000, 0));
    FlushReads::new(ledger.clone(), taking(9, &taken)).run().await.unwrap();
    let mut stored = people_of(&taken.lock().unwrap().concat());
    assert_eq!(stored.len(), 1_202);
    stored.sort();
    stored.dedup();
    assert_eq!(stored.len(), 1_202);
    assert_eq!(ledger.all(), []);
}

/// A store that never responds.
struct SilentStore;

#[async_trait]
impl ReadTallyStore for SilentStore {
    async fn add(&self, _: &[ReadTally]) -> Result<(), StorageError> {
        std::future::pending().await
    }
    async fn list(&self, _: UserId, _: Option<TallyKey>, _: u32) -> Result<Vec<ReadTally>, StorageError> {
        Ok(Vec::new())
    }
    async fn delete_before(&self, _: DateTime<Utc>, _: u32) -> Result<u64, StorageError> {
        Ok(0)
    }
}

#[tokio::test]
async fn a_cancelled_flush_loses_nothing() {
    let ledger = holding(3);
    let flush = FlushReads::new(ledger.clone(), Arc::new(SilentStore));
    let mut running = Box::pin(flush.run());
    tokio::select! {
        biased;
        _ = &mut running => panic!("the store never responds"),
        () = std::future::ready(()) => (),
    }
    assert_eq!(ledger.all(), [], "the sums were taken out");
    drop(running);
    assert_eq!(ledger.all().len(), 3);
}
