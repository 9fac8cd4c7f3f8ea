use super::*;
use chrono::{DateTime, Utc};
use domain::data_kind::DataKind;
use domain::id::{ClientId, UserId};
use domain::read_tally::{ReadKind, Reader, RequestedRange};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use uuid::Uuid;

/// The start of an hour.
fn start() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::hours(490_000)
}

/// One read of three records of this person by the one client, this many minutes after the start.
fn read(user: u128, minute: i64) -> ReadTally {
    let reader = Reader::Client(ClientId::from_uuid(Uuid::from_u128(7)));
    let user_id = UserId::from_uuid(Uuid::from_u128(user));
    let kind = ReadKind::Data(DataKind::Sleep);
    let key = TallyKey::at(start() + TimeDelta::minutes(minute), user_id, reader, kind);
    ReadTally { key, requests: 1, items: 3, range: RequestedRange { from: Some(start()), to: Some(start()) } }
}

fn requests(tallies: &[ReadTally]) -> u64 {
    tallies.iter().map(|tally| tally.requests).sum()
}

#[track_caller]
fn assert_each_key_once(tallies: &[ReadTally]) {
    let keys: HashSet<_> = tallies.iter().map(|tally| tally.key).collect();
    assert_eq!(keys.len(), tallies.len());
}

#[test]
fn reads_of_one_key_are_one_sum() {
    let ledger = InProcessReadLedger::new();
    let open = ReadTally { range: RequestedRange { from: None, to: Some(start()) }, ..read(1, 0) };
    for tally in [read(1, 0), open, read(1, 0)] {
        ledger.add(tally);
    }
    assert_eq!(ledger.take(), [ReadTally { requests: 3, items: 9, ..open }]);
}

#[test]
fn another_person_minute_reader_or_kind_is_another_sum() {
    let ledger = InProcessReadLedger::new();
    let other_reader = Reader::Client(ClientId::from_uuid(Uuid::from_u128(8)));
    let by_other = ReadTally { key: TallyKey { reader: other_reader, ..read(1, 0).key }, ..read(1, 0) };
    let refresh = ReadTally { key: TallyKey { kind: ReadKind::Refresh, ..read(1, 0).key }, ..read(1, 0) };
    for tally in [read(1, 0), read(2, 0), read(1, 1), by_other, refresh] {
        ledger.add(tally);
    }
    let taken = ledger.take();
    assert_eq!((taken.len(), requests(&taken)), (5, 5));
}

#[test]
fn drained_reads_are_no_longer_in_the_ledger() {
    let ledger = InProcessReadLedger::new();
    ledger.add(read(1, 0));
    assert_eq!(ledger.take().len(), 1);
    assert_eq!(ledger.take(), []);
    ledger.add(read(1, 0));
    assert_eq!(ledger.take(), [read(1, 0)]);
}

#[test]
fn no_read_is_lost_or_duplicated_between_adding_and_draining_threads() {
    const THREADS: u128 = 8;
    const READS: u128 = 5_000;
    let ledger = Arc::new(InProcessReadLedger::new());
    let all_added = Arc::new(AtomicBool::new(false));
    let taking = {
        let (ledger, all_added) = (Arc::clone(&ledger), Arc::clone(&all_added));
        thread::spawn(move || {
            let mut sums: HashMap<TallyKey, u64> = HashMap::new();
            loop {
                // Loaded before the last take, which therefore contains everything added by then.
                let last = all_added.load(Ordering::SeqCst);
                let taken = ledger.take();
                assert_each_key_once(&taken);
                for tally in taken {
                    assert_eq!(tally.items, 3 * tally.requests);
                    *sums.entry(tally.key).or_default() += tally.requests;
                }
                if last {
                    return sums;
                }
            }
        })
    };
    let adding: Vec<_> = (0..THREADS)
        .map(|thread| {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || {
                for number in 0..READS {
                    // Several threads read every person concurrently.
                    ledger.add(read((number + thread) % 500, 0));
                }
            })
        })
        .collect();
    for thread in adding {
        thread.join().unwrap();
    }
    all_added.store(true, Ordering::SeqCst);
    let sums = taking.join().unwrap();
    assert_eq!(sums.len(), 500);
    assert!(sums.values().all(|sum| u128::from(*sum) == THREADS * READS / 500), "{sums:?}");
    assert_eq!(ledger.dropped(), 0);
}

#[test]
fn a_full_ledger_merges_reads_by_the_hour() {
    let ledger = InProcessReadLedger::with_capacity(1, 100);
    for minute in 0..6_000 {
        ledger.add(read(1, minute % 1_200));
    }
    let taken = ledger.take();
    assert_each_key_once(&taken);
    assert!(taken.len() <= 100, "{}", taken.len());
    assert_eq!((requests(&taken), ledger.dropped()), (6_000, 0));
    for hour in 0..20 {
        let of_hour = |tally: &&ReadTally| (tally.key.minute - start()).num_hours() == hour;
        let sum: u64 = taken.iter().filter(of_hour).map(|tally| tally.requests).sum();
        assert_eq!(sum, 300, "hour {hour}");
    }
}

#[test]
fn when_hours_do_not_fit_either_the_oldest_are_dropped_and_counted() {
    let ledger = InProcessReadLedger::with_capacity(4, 400);
    for user in 0..10_000_u128 {
        ledger.add(read(user, i64::try_from(user).unwrap() * 60));
    }
    let taken = ledger.take();
    assert_each_key_once(&taken);
    assert!((100..=400).contains(&taken.len()), "{}", taken.len());
    assert_eq!(requests(&taken) + ledger.dropped(), 10_000);
    let oldest = taken.iter().map(|tally| tally.key.minute).min().unwrap();
    assert!(oldest > start() + TimeDelta::hours(9_000), "{oldest}");
    assert!(taken.iter().any(|tally| tally.key == read(9_999, 9_999 * 60).key));
}

#[test]
fn ten_times_more_keys_than_fit_stay_within_the_capacity() {
    let ledger = InProcessReadLedger::with_capacity(SHARDS, 8_000);
    for user in 0..80_000 {
        ledger.add(read(user, 0));
    }
    let taken = ledger.take();
    assert!((3_000..=8_000).contains(&taken.len()), "{}", taken.len());
    assert_eq!(requests(&taken) + ledger.dropped(), 80_000);
}

#[test]
fn an_existing_sum_grows_in_a_full_ledger() {
    let ledger = InProcessReadLedger::with_capacity(1, 10);
    for _ in 0..100 {
        (0..10).for_each(|user| ledger.add(read(user, 1)));
    }
    let taken = ledger.take();
    assert_eq!((taken.len(), requests(&taken), ledger.dropped()), (10, 1_000, 0));
    assert!(taken.iter().all(|tally| tally.key.minute == read(0, 1).key.minute), "minutes are kept");
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Add { user: u128, minute: i64 },
    Take,
    GiveBack,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..20_u128, 0..200_i64).prop_map(|(user, minute)| Step::Add { user, minute }),
        1 => Just(Step::Take),
        1 => Just(Step::GiveBack),
    ]
}

proptest! {
    #[test]
    fn every_read_is_drained_once_or_counted_as_dropped(steps in proptest::collection::vec(step(), 0..400)) {
        let ledger = InProcessReadLedger::with_capacity(2, 24);
        let (mut added, mut stored) = (0, 0);
        for step in steps {
            match step {
                Step::Add { user, minute } => {
                    ledger.add(read(user, minute));
                    added += 1;
                }
                Step::Take => stored += requests(&ledger.take()),
                Step::GiveBack => ledger.take().into_iter().for_each(|tally| ledger.add(tally)),
            }
        }
        let held = ledger.take();
        prop_assert!(held.len() <= 24);
        prop_assert_eq!(stored + requests(&held) + ledger.dropped(), added);
    }
}
