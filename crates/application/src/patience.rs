//! How long a use case that takes minutes waits for a store that is out of reach.

use std::time::Duration;

/// The pauses before each further try: 26 seconds in all, in which a standby takes the place of a primary that was lost, and a
/// database that has too much to do for a while gets through.
pub(crate) const PAUSES: [Duration; 9] = [
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
