//! Requests of an app, and the remaining daily limits.

use super::view::{ErrorLine, LatestRejection, LimitLine, UsageLine};
use crate::moment;
use crate::view::{Moment, grouped};
use application::client::DailyLimit;
use domain::client_usage::{ClientUsage, Rejection, UsageKey};
use domain::time::TimeZone;

/// Returns a line for each day with requests, in the order of the sums.
pub(super) fn by_day(usage: &[ClientUsage]) -> Vec<UsageLine> {
    usage.chunk_by(|one, two| one.key.day == two.key.day).filter_map(line).collect()
}

fn line(sums: &[ClientUsage]) -> Option<UsageLine> {
    let day = sums.first()?.key.day;
    let day = Moment { text: moment::short_day(day), machine: day.to_string() };
    let requests = sums.iter().map(|sum| sum.requests).fold(0, u64::saturating_add);
    let errors = sums.iter().filter(|sum| sum.key.status >= 400).map(error).collect();
    Some(UsageLine { day, requests: grouped(requests), errors })
}

fn error(ClientUsage { key, requests, rejection, .. }: &ClientUsage) -> ErrorLine {
    let UsageKey { endpoint, status, .. } = key;
    let latest = rejection.as_ref().map(|Rejection { reason, at }| LatestRejection {
        at: moment::to_the_second(*at, TimeZone::UTC),
        reason: reason.clone(),
    });
    ErrorLine { text: format!("{status} {}: {}", endpoint.as_str(), grouped(*requests)), latest }
}

/// Returns the line of a limit.
pub(super) fn limit(DailyLimit { endpoint, limit, fewest_left }: DailyLimit) -> LimitLine {
    LimitLine { endpoint: endpoint.as_str(), limit: grouped(limit.into()), left: grouped(fewest_left.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use domain::client_usage::UsedEndpoint;
    use domain::id::ClientId;
    use uuid::Uuid;

    #[test]
    fn requests_are_summed_by_day_and_errors_are_listed() {
        let sum = |day, status, requests| {
            let day = NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
            let client_id = ClientId::from_uuid(Uuid::nil());
            let key = UsageKey { client_id, day, endpoint: UsedEndpoint::Token, status };
            ClientUsage { key, requests, fewest_left: None, rejection: None }
        };
        let at = "2026-11-24T08:00:01Z".parse().unwrap();
        let rejection = Some(Rejection { reason: "the code has expired".to_owned(), at });
        let rejected = ClientUsage { rejection, ..sum(24, 400, 3) };
        let sums = [sum(24, 200, 1_200), rejected, sum(24, 503, 1), sum(22, 200, 5)];
        let lines = by_day(&sums);
        let latest = lines[0].errors[0].latest.as_ref().unwrap();
        assert_eq!(
            (latest.at.text.as_str(), latest.reason.as_str()),
            ("24 November 2026, 08:00:01", "the code has expired")
        );
        let errors = |line: &UsageLine| {
            line.errors.iter().map(|error| error.text.as_str()).collect::<Vec<_>>().join(", ")
        };
        let texts: Vec<_> =
            lines.iter().map(|line| (line.day.text.as_str(), line.requests.as_str(), errors(line))).collect();
        assert_eq!(
            texts,
            [
                ("Tue 24 Nov", "1,204", "400 token: 3, 503 token: 1".to_owned()),
                ("Sun 22 Nov", "5", String::new())
            ]
        );
        assert_eq!(lines[0].day.machine, "2026-11-24");
    }
}
