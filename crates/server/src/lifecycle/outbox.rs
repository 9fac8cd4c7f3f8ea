//! Metrics of waiting email.

use super::every;
use application::ports::storage::{MailBacklog, OutboxReader};
use application::ports::system::Clock;
use chrono::{DateTime, Utc};
use metrics::gauge;
use std::convert::Infallible;
use std::time::Duration;

/// Interval of measuring: the usual scrape interval.
const MEASURE_INTERVAL: Duration = Duration::from_secs(15);

/// Measures the outbox for as long as it is polled. All servers report the same values, because they share
/// one outbox. The values stay unchanged while the store fails, which is reported elsewhere.
pub(super) async fn measure(outbox: &dyn OutboxReader, clock: &dyn Clock) -> Infallible {
    let mut ticks = every(MEASURE_INTERVAL);
    loop {
        ticks.tick().await;
        if let Ok(backlog) = outbox.backlog().await {
            export_backlog(backlog, clock.now());
        }
    }
}

fn export_backlog(backlog: MailBacklog, now: DateTime<Utc>) {
    gauge!("restwell_mail_waiting").set(f64::from(u32::try_from(backlog.messages).unwrap_or(u32::MAX)));
    gauge!("restwell_mail_oldest_wait_seconds").set(oldest_wait(backlog, now));
}

/// Returns the age of the oldest message in seconds; 0 if there is none.
fn oldest_wait(backlog: MailBacklog, now: DateTime<Utc>) -> f64 {
    backlog.oldest_queued_at.map_or(0.0, |queued_at| (now - queued_at).as_seconds_f64().max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_that_of_the_oldest_message_and_0_without_messages() {
        let now: DateTime<Utc> = "2026-03-09T12:00:00Z".parse().unwrap();
        let queued = |at: Option<&str>| MailBacklog {
            messages: u64::from(at.is_some()),
            oldest_queued_at: at.map(|at| at.parse().unwrap()),
        };
        let wait = |at| oldest_wait(queued(at), now).to_string();
        assert_eq!(wait(None), "0");
        assert_eq!(wait(Some("2026-03-09T11:58:30Z")), "90");
        // The clock of the server that queued it was ahead.
        assert_eq!(wait(Some("2026-03-09T12:00:01Z")), "0");
    }
}
