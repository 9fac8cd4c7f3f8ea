//! Clock of embedded commands and servers.

use application::ports::system::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Mutex;
use system_adapter::SystemClock;

/// The machine's clock, moved forward by a test.
#[derive(Debug, Default)]
pub(crate) struct TestClock(Mutex<TimeDelta>);

impl TestClock {
    pub(crate) fn advance(&self, by: TimeDelta) {
        *self.0.lock().expect("offset") += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + *self.0.lock().expect("offset")
    }
}
