//! What is told of the mail that waits.

use application::ports::storage::{MailBacklog, OutboxReader};
use application::ports::system::Clock;
use chrono::{DateTime, Utc};
use metrics::gauge;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// How often it is counted: as often as monitoring usually asks.
const EVERY: Duration = Duration::from_secs(15);

/// Counts what waits, for as long as it is polled. Every server tells the same: the outbox is one for all of them. While
/// the store does not answer, which is told elsewhere, the figures stay.
pub(super) async fn measure(outbox: &dyn OutboxReader, clock: &dyn Clock) -> Infallible {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Ok(backlog) = outbox.backlog().await {
            tell(backlog, clock.now());
        }
    }
}

fn tell(backlog: MailBacklog, now: DateTime<Utc>) {
    gauge!("restwell_mail_waiting").set(f64::from(u32::try_from(backlog.messages).unwrap_or(u32::MAX)));
    gauge!("restwell_mail_oldest_wait_seconds").set(oldest_wait(backlog, now));
}

/// Returns how long the oldest message waits, in seconds; 0 when none does.
fn oldest_wait(backlog: MailBacklog, now: DateTime<Utc>) -> f64 {
    backlog.oldest_queued_at.map_or(0.0, |queued_at| (now - queued_at).as_seconds_f64().max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_of_the_oldest_is_told_and_none_where_nothing_waits() {
        let now: DateTime<Utc> = "2026-03-09T12:00:00Z".parse().unwrap();
        let queued = |at: Option<&str>| MailBacklog {
            messages: u64::from(at.is_some()),
            oldest_queued_at: at.map(|at| at.parse().unwrap()),
        };
        let wait = |at| oldest_wait(queued(at), now).to_string();
        assert_eq!(wait(None), "0");
        assert_eq!(wait(Some("2026-03-09T11:58:30Z")), "90");
        // Another server's clock was ahead before it was compared.
        assert_eq!(wait(Some("2026-03-09T12:00:01Z")), "0");
    }
}
