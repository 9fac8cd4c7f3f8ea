//! Metrics of connections.

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::time::Instant;

/// Metrics of a set of connections with one user at a time.
pub struct ConnectionMeter {
    open: Gauge,
    max: Gauge,
    in_use: Gauge,
    waiting: Gauge,
    wait: Histogram,
    timeouts: Counter,
}

impl ConnectionMeter {
    /// Returns the metrics of the set with this name, one of a few constants.
    pub fn new(pool: &'static str) -> Self {
        Self {
            open: gauge!("restwell_pool_connections", "pool" => pool),
            max: gauge!("restwell_pool_connections_max", "pool" => pool),
            in_use: gauge!("restwell_pool_in_use", "pool" => pool),
            waiting: gauge!("restwell_pool_waiting", "pool" => pool),
            wait: histogram!("restwell_pool_wait_seconds", "pool" => pool),
            timeouts: counter!("restwell_pool_timeouts_total", "pool" => pool),
        }
    }

    /// Records the number of open connections and the maximum.
    pub fn set_size(&self, open: usize, max: usize) {
        let number = |connections: usize| f64::from(u32::try_from(connections).unwrap_or(u32::MAX));
        self.open.set(number(open));
        self.max.set(number(max));
    }

    /// Records another open connection.
    pub fn record_opened(&self) {
        self.open.increment(1.0);
    }

    /// Measures the wait for a connection; `None` if the wait times out.
    pub async fn waited_for<T>(&self, connection: impl Future<Output = Option<T>>) -> Option<T> {
        let waiting = GaugeGuard::new(&self.waiting);
        let connection = timed(&self.wait, connection).await;
        drop(waiting);
        if connection.is_none() {
            self.timeouts.increment(1);
        }
        connection
    }

    /// Counts a connection as in use until the returned value is dropped.
    pub fn in_use(&self) -> GaugeGuard {
        GaugeGuard::new(&self.in_use)
    }
}

/// Increment of a gauge until dropped.
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    fn new(gauge: &Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Measures the time of a task in seconds.
pub async fn timed<T>(seconds: &Histogram, task: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let outcome = task.await;
    seconds.record(started.elapsed());
    outcome
}
