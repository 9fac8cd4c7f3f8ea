//! Times that a wrong clock recorded.

use chrono::{DateTime, TimeDelta, Utc};

/// How far a recorded time may be after the present.
const MAX_AHEAD: TimeDelta = TimeDelta::days(1);

/// Returns whether a recorded time is in the future. A day is tolerated, because the time may have been read
/// in another zone.
pub fn is_in_the_future(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    at.signed_duration_since(now) > MAX_AHEAD
}
