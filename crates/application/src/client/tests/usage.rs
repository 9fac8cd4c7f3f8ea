//! What an app has used, for its developer.

use super::{clients, draft};
use crate::access::DailyLimits;
use crate::client::{Clients, DailyLimit};
use crate::ports::storage::{ClientWithSecrets, MockClientReader, MockClientUsageStore, MockGrantReader};
use crate::testing::{client_id, noon, units, user_id};
use chrono::NaiveDate;
use domain::client_usage::{ClientUsage, UsageKey, UsedEndpoint};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use std::sync::Arc;

#[tokio::test]
async fn an_app_is_shown_with_the_fewest_requests_left_today() {
    let sleep = PersonEndpoint::Data(DataKind::Sleep);
    let sum = |day: NaiveDate, endpoint, status, fewest_left| {
        let key = UsageKey { client_id: client_id(1), day, endpoint, status };
        ClientUsage { key, requests: 2, fewest_left, rejection: None }
    };
    let today = noon().date_naive();
    let used = UsedEndpoint::Person(sleep);
    let sums = vec![
        sum(today, used, 200, Some(40)),
        sum(today, used, 400, Some(30)),
        sum(today, used, 403, None),
        sum(today, UsedEndpoint::Token, 200, None),
        sum(today.pred_opt().unwrap(), used, 429, Some(0)),
    ];
    let mut reader = MockClientReader::new();
    reader
        .expect_find_with_secrets()
        .returning(|_| Ok(Some(ClientWithSecrets { client: draft(), secrets: Vec::new() })));
    reader.expect_count_draft_users().returning(|_| Ok(0));
    let mut grants = MockGrantReader::new();
    grants.expect_count_live_grants().returning(|_, _| Ok(0));
    let mut usage = MockClientUsageStore::new();
    let stored = sums.clone();
    usage.expect_list_usage().return_once(|_, _| Ok(stored));
    let limits = DailyLimits { sleep: 50, profile: 9, ..DailyLimits::default() };
    let clients = Clients {
        reader: Arc::new(reader),
        grants: Arc::new(grants),
        usage: Arc::new(usage),
        limits,
        ..clients(&units([]))
    };
    let found = clients.find_app(user_id(1), client_id(1)).await.unwrap().unwrap();
    assert_eq!(found.usage, sums);
    let left = |endpoint| found.limits.iter().find(|limit| limit.endpoint == endpoint).copied();
    assert_eq!(left(sleep), Some(DailyLimit { endpoint: sleep, limit: 50, fewest_left: 30 }));
    let profile = PersonEndpoint::Data(DataKind::Profile);
    assert_eq!(left(profile), Some(DailyLimit { endpoint: profile, limit: 9, fewest_left: 9 }));
    assert_eq!(left(PersonEndpoint::Ingest), None);
}
