//! Retry delays of long-running use cases while the store is unreachable.

use std::time::Duration;

/// Pauses before each retry, 26 seconds in all. This covers a failover to a standby and a short overload of
/// the database.
pub(crate) const RETRY_DELAYS: [Duration; 9] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_600),
    Duration::from_millis(3_200),
    Duration::from_secs(5),
    Duration::from_secs(5),
    Duration::from_secs(10),
];
