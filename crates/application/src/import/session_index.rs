//! Index of the sessions of one source that a record may match or replace.

use domain::sleep::{SessionKey, SleepRecord, TimeInBed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum difference in milliseconds that [`domain::sleep::reconcile`] treats as the same minute.
const MINUTE_MILLIS: i64 = 60_000;

/// Numbers of sessions of one source.
///
/// Sessions with source keys may overlap in any number. Only those with the same minutes matter, to records
/// with derived keys, and one with stages and one without suffice. Sessions with derived keys are grouped by
/// length, rounded down to a power of two. A session of such a length that overlaps a record starts at most
/// that long before it, so the range contains few others.
#[derive(Default)]
pub(super) struct SessionIndex {
    by_key: HashMap<SessionKey, BTreeSet<u64>>,
    derived: BTreeMap<u32, BTreeSet<(i64, u64)>>,
    /// Sessions without stages, and with stages.
    given: HashMap<(i64, i64), [BTreeSet<u64>; 2]>,
}

impl SessionIndex {
    pub(super) fn add(&mut self, record: &SleepRecord, number: u64) {
        self.by_key.entry(record.key().clone()).or_default().insert(number);
        let time = record.time_in_bed();
        if record.key().is_given() {
            let [bare, with_stages] = self.given.entry(time.minutes()).or_default();
            if record.hypnogram().is_empty() { bare } else { with_stages }.insert(number);
        } else {
            self.derived.entry(length_of(time)).or_default().insert((time.start_millis(), number));
        }
    }

    pub(super) fn remove(&mut self, record: &SleepRecord, number: u64) {
        if let Some(numbers) = self.by_key.get_mut(record.key()) {
            numbers.remove(&number);
        }
        let time = record.time_in_bed();
        if let Some(sorts) = self.given.get_mut(&time.minutes()) {
            for numbers in sorts {
                numbers.remove(&number);
            }
        }
        if let Some(numbers) = self.derived.get_mut(&length_of(time)) {
            numbers.remove(&(time.start_millis(), number));
        }
    }

    /// Returns the sessions with a key.
    pub(super) fn with_key(&self, key: &SessionKey) -> impl Iterator<Item = u64> {
        self.by_key.get(key).into_iter().flatten().copied()
    }

    /// Returns the sessions that the record may match or replace, in ascending order, and a few neighbours.
    pub(super) fn near(&self, record: &SleepRecord) -> BTreeSet<u64> {
        let time = record.time_in_bed();
        let beside = self.derived.iter().flat_map(|(length, numbers)| {
            let longest = 1_i64.checked_shl(length.saturating_add(1)).unwrap_or(TimeInBed::MAX_MILLIS);
            let earliest = time.start_millis().saturating_sub(longest).saturating_sub(MINUTE_MILLIS);
            let latest = time.end_millis().saturating_add(MINUTE_MILLIS);
            numbers.range((earliest, u64::MIN)..=(latest, u64::MAX)).map(|(_, number)| *number)
        });
        let logs = self.given.get(&time.minutes()).filter(|_| !record.key().is_given());
        let twins = logs.into_iter().flatten().filter_map(|numbers| numbers.first().copied());
        beside.chain(twins).chain(self.with_key(record.key())).collect()
    }
}

/// Returns the binary logarithm of the length of a time in bed.
const fn length_of(time: &TimeInBed) -> u32 {
    // The length is never 0.
    time.millis().unsigned_abs().leading_zeros().abs_diff(63)
}
