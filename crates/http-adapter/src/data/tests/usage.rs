//! Recorded requests of clients.

use super::world::{REVOKED, SERVICE, TOKEN, USER, World, parts};
use crate::tests::Parts;
use application::access::DailyLimits;
use application::client_usage::ClientRequest;
use domain::client_usage::UsedEndpoint;
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;

/// Returns the status, endpoint and remaining requests that these requests leave, with a limit of one.
async fn recorded(requests: &[(&str, &str)]) -> Vec<(u16, UsedEndpoint, Option<u32>)> {
    let daily_limits = DailyLimits::from_iter([(DataKind::Sleep, 1)]);
    let parts = Parts { daily_limits, ..parts() };
    let usage = parts.usage.clone();
    let world = World::new(parts);
    for (path, token) in requests {
        world.get_with(path, token).await;
    }
    let usage = usage.lock().unwrap();
    usage.iter().map(|(ClientRequest { endpoint, left, .. }, status)| (*status, *endpoint, *left)).collect()
}

const SLEEP: UsedEndpoint = UsedEndpoint::Person(PersonEndpoint::Data(DataKind::Sleep));

#[actix_web::test]
async fn a_request_is_recorded_with_its_status_and_remaining_limit() {
    let path = format!("/api/v1/sleep/{USER}");
    let faulty = format!("{path}?page=0");
    assert_eq!(recorded(&[(&faulty, TOKEN)]).await, [(400, SLEEP, Some(0))]);
    let expected = [(200, SLEEP, Some(0)), (429, SLEEP, Some(0))];
    assert_eq!(recorded(&[(&path, TOKEN), (&path, TOKEN)]).await, expected);
}

#[actix_web::test]
async fn a_forbidden_request_is_recorded_without_a_limit() {
    let path = format!("/api/sleep/{USER}");
    assert_eq!(
        recorded(&[(&path, SERVICE), ("/api/sleep/x", TOKEN)]).await,
        [(403, SLEEP, None), (400, SLEEP, None)]
    );
}

#[actix_web::test]
async fn a_request_without_a_valid_token_is_not_recorded() {
    let path = format!("/api/v1/sleep/{USER}");
    assert_eq!(recorded(&[(&path, REVOKED), (&path, "forged"), ("/livez", TOKEN)]).await, []);
}
