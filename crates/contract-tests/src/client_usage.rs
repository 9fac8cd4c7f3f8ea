//! Counts of clients' requests.

use crate::Harness;
use crate::fixture::{client_id, seconds};
use chrono::NaiveDate;
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;

const SLEEP: UsedEndpoint = UsedEndpoint::Person(PersonEndpoint::Data(DataKind::Sleep));

fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 4, day).unwrap()
}

/// Returns a sum of client 1.
fn usage(on: u32, endpoint: UsedEndpoint, status: u16) -> ClientUsage {
    let key = UsageKey { client_id: client_id(1), day: day(on), endpoint, status };
    ClientUsage { key, requests: 2, fewest_left: None, rejection: None }
}

fn of_client(number: u64, usage: ClientUsage) -> ClientUsage {
    ClientUsage { key: UsageKey { client_id: client_id(number), ..usage.key }, ..usage }
}

async fn add(harness: &Harness, sums: &[ClientUsage]) {
    harness.usage.add_usage(sums).await.unwrap();
}

async fn list(harness: &Harness, client: u64, since: u32) -> Vec<ClientUsage> {
    harness.usage.list_usage(client_id(client), day(since)).await.unwrap()
}

pub(crate) async fn usage_is_listed_by_client_latest_day_first(harness: &Harness) {
    add(harness, &[]).await;
    let other = of_client(2, usage(3, SLEEP, 200));
    let sums = [
        usage(3, SLEEP, 200),
        usage(3, SLEEP, 429),
        usage(3, UsedEndpoint::Token, 200),
        usage(2, UsedEndpoint::Mcp, 200),
        usage(1, UsedEndpoint::Mcp, 200),
    ];
    let stored = [4, 1, 0, 3, 2].map(|place: usize| sums[place].clone());
    add(harness, &stored).await;
    add(harness, std::slice::from_ref(&other)).await;
    assert_eq!(list(harness, 1, 1).await, sums);
    assert_eq!(list(harness, 1, 3).await, sums[..3]);
    assert_eq!(list(harness, 2, 1).await, [other]);
    assert_eq!(list(harness, 3, 1).await, []);
}

pub(crate) async fn sums_of_one_key_are_added_and_the_fewest_left_requests_win(harness: &Harness) {
    let left = |fewest_left| ClientUsage { fewest_left, ..usage(1, SLEEP, 200) };
    let mut expected = left(None);
    add(harness, std::slice::from_ref(&expected)).await;
    for fewest_left in [Some(u32::MAX), None, Some(0), Some(7)] {
        add(harness, &[left(fewest_left)]).await;
        expected = expected.plus(left(fewest_left));
        assert_eq!(list(harness, 1, 1).await, std::slice::from_ref(&expected));
    }
    assert_eq!((expected.requests, expected.fewest_left), (10, Some(0)));
}

pub(crate) async fn the_latest_rejection_of_a_key_is_stored(harness: &Harness) {
    let rejected = |second: Option<i64>| {
        let rejection =
            second.map(|second| Rejection { reason: format!("reason {second}"), at: seconds(second) });
        ClientUsage { rejection, ..usage(1, UsedEndpoint::Authorize, 400) }
    };
    let mut expected = rejected(None);
    add(harness, std::slice::from_ref(&expected)).await;
    for second in [Some(5), Some(9), None, Some(7)] {
        add(harness, &[rejected(second)]).await;
        expected = expected.plus(rejected(second));
        assert_eq!(list(harness, 1, 1).await, std::slice::from_ref(&expected));
    }
    assert_eq!(expected.rejection, rejected(Some(9)).rejection);
}

pub(crate) async fn no_count_is_lost_by_racing_servers(harness: &Harness) {
    let sums = [1, 2].map(|client| of_client(client, usage(1, SLEEP, 200)));
    let flush = async || {
        for _ in 0..20 {
            add(harness, &sums).await;
        }
    };
    tokio::join!(flush(), flush());
    for client in [1, 2] {
        let sums = list(harness, client, 1).await;
        assert_eq!(sums.iter().map(|sum| sum.requests).collect::<Vec<_>>(), [80]);
    }
}

pub(crate) async fn usage_of_old_days_is_deleted_up_to_the_limit(harness: &Harness) {
    let sums = [4, 3, 2, 1].map(|on| usage(on, SLEEP, 200));
    add(harness, &sums).await;
    let delete = async |before, limit| harness.usage.delete_usage_before(day(before), limit).await.unwrap();
    assert_eq!(delete(1, 9).await, 0);
    assert_eq!(delete(4, 2).await, 2);
    assert_eq!(list(harness, 1, 1).await, sums[..2]);
    assert_eq!(delete(4, 9).await, 1);
    assert_eq!(list(harness, 1, 1).await, sums[..1]);
}
