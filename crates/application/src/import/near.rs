//! Which sessions of one source a record may be, or may replace, found without a look at the others.

use domain::sleep::{SessionKey, SleepRecord, TimeInBed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What [`domain::sleep::reconcile`] calls the same minute may be so much apart, in milliseconds.
const A_MINUTE: i64 = 60_000;

/// Numbers of sessions of one source.
///
/// Sessions whose source gave them a key may overlap in any number. Of those only twins to the minute matter, to records
/// that made their own key, and one with stages and one without are enough. Those that made their own keys are kept by
/// their length, to the power of two: what overlaps a record and is so long begins at most that long before it, so that
/// hardly any others lie there. They give way to each other, so that few of them overlap one record.
#[derive(Default)]
pub(super) struct Near {
    by_key: HashMap<SessionKey, BTreeSet<u64>>,
    derived: BTreeMap<u32, BTreeSet<(i64, u64)>>,
    /// Those without stages, and those with.
    given: HashMap<(i64, i64), [BTreeSet<u64>; 2]>,
}

impl Near {
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

    /// Lists those with a key.
    pub(super) fn with_key(&self, key: &SessionKey) -> impl Iterator<Item = u64> {
        self.by_key.get(key).into_iter().flatten().copied()
    }

    /// Lists what the record may be or replace, in ascending order, and a few more that lie beside it.
    pub(super) fn of(&self, record: &SleepRecord) -> BTreeSet<u64> {
        let time = record.time_in_bed();
        let beside = self.derived.iter().flat_map(|(length, numbers)| {
            let longest = 1_i64.checked_shl(length.saturating_add(1)).unwrap_or(TimeInBed::MAX_MILLIS);
            let earliest = time.start_millis().saturating_sub(longest).saturating_sub(A_MINUTE);
            let latest = time.end_millis().saturating_add(A_MINUTE);
            numbers.range((earliest, u64::MIN)..=(latest, u64::MAX)).map(|(_, number)| *number)
        });
        let logs = self.given.get(&time.minutes()).filter(|_| !record.key().is_given());
        let twins = logs.into_iter().flatten().filter_map(|numbers| numbers.first().copied());
        beside.chain(twins).chain(self.with_key(record.key())).collect()
    }
}

/// The length of a time in bed, to the power of two.
const fn length_of(time: &TimeInBed) -> u32 {
    // It is never 0.
    time.millis().unsigned_abs().leading_zeros().abs_diff(63)
}
