//! Requests of an app, and the remaining daily limits.

use crate::moment;
use crate::view::{LimitLine, Moment, UsageLine, grouped};
use application::developer::DailyLimit;
use domain::client_usage::{ClientUsage, UsageKey};

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

fn error(ClientUsage { key, requests, .. }: &ClientUsage) -> String {
    let UsageKey { endpoint, status, .. } = key;
    format!("{status} {}: {}", endpoint.as_str(), grouped(*requests))
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
            ClientUsage { key, requests, fewest_left: None }
        };
        let lines = by_day(&[sum(24, 200, 1_200), sum(24, 400, 3), sum(24, 503, 1), sum(22, 200, 5)]);
        let texts: Vec<_> = lines
            .iter()
            .map(|line| (line.day.text.as_str(), line.requests.as_str(), line.errors.join(", ")))
            .collect();
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
