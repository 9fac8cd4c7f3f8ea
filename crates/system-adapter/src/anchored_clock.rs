//! The clock of the process, set by that of the store.

mod dial;
#[cfg(test)]
mod tests;

use crate::clock::SystemClock;
use application::ports::storage::{StorageError, StoreClock};
use application::ports::system::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use dial::Dial;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// The longest round trip whose answer still says what time it is.
const LONGEST_ROUND_TRIP: Duration = Duration::from_secs(1);

/// By how much the machine's clock has to jump for a new measurement to be wanted.
const JUMP: TimeDelta = TimeDelta::seconds(1);

/// Tells the store's time without asking the store: what it said last, and what has passed since.
///
/// What has passed is told by the monotonic clock, so that the time that codes, sessions, windows and tokens
/// are judged by stays the same on all replicas even when somebody sets the clock of a machine. Until the
/// first measurement it is the machine's time.
///
/// A measurement moves it when it says for sure that it is wrong: by more than half of its round trip. It is
/// never put back by less than a second: it stands still until that much has passed. More than a second is
/// put right at once, because standing still for long would keep alive what should expire; what is told twice
/// then is of the process's own past, which every rule bears, as it bears what another replica wrote with a
/// clock a little ahead.
pub struct AnchoredClock {
    store: Arc<dyn StoreClock>,
    began: Instant,
    dial: Dial,
    /// How far the machine's clock was ahead of the monotonic one when it was last compared, in microseconds.
    machine_lead: AtomicI64,
}

/// What one look at the store's clock said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockMeasurement {
    /// How far the machine's clock is ahead of the store's; negative when it is behind.
    pub machine_ahead: TimeDelta,
    /// How long the store took to answer; the true difference is within half of it.
    pub round_trip: Duration,
}

impl AnchoredClock {
    /// Begins with the machine's time.
    pub fn new(store: Arc<dyn StoreClock>) -> Self {
        let began = Instant::now();
        let now = SystemClock.now().timestamp_micros();
        Self { store, began, dial: Dial::new(now), machine_lead: AtomicI64::new(now) }
    }

    /// Asks the store for its time and goes by it from now on.
    ///
    /// Returns nothing, and stays as it is, when the answer took so long that it says little.
    pub async fn measure(&self) -> Result<Option<ClockMeasurement>, StorageError> {
        let asked_at = self.elapsed();
        let store_now = self.store.store_now().await?;
        let answered_at = self.elapsed();
        let machine_now = SystemClock.now();
        let round_trip = answered_at.saturating_sub(asked_at);
        if round_trip > LONGEST_ROUND_TRIP {
            return Ok(None);
        }
        self.machine_lead.store(lead(machine_now, answered_at), Ordering::Relaxed);
        // The answer is taken to be half a round trip old.
        let age = TimeDelta::microseconds(micros(round_trip / 2));
        self.dial.set((store_now + age).timestamp_micros(), micros(answered_at), age.num_microseconds());
        Ok(Some(ClockMeasurement { machine_ahead: machine_now - age - store_now, round_trip }))
    }

    /// Tells whether the machine's clock was set since the last measurement, or the machine slept: a reason
    /// to measure again at once.
    pub fn has_jumped(&self) -> bool {
        let lead = lead(SystemClock.now(), self.elapsed());
        let moved = lead.abs_diff(self.machine_lead.load(Ordering::Relaxed));
        moved > JUMP.num_microseconds().map_or(u64::MAX, i64::unsigned_abs)
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Clock for AnchoredClock {
    fn now(&self) -> DateTime<Utc> {
        let now = self.dial.read(micros(self.elapsed()));
        // Nothing is out of range for some 290,000 years.
        DateTime::from_timestamp_micros(now).unwrap_or_default()
    }
}

/// How far the machine's clock is ahead of the monotonic one, in microseconds.
fn lead(machine_now: DateTime<Utc>, elapsed: Duration) -> i64 {
    machine_now.timestamp_micros().saturating_sub(micros(elapsed))
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
