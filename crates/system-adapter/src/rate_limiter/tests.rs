use super::*;
use chrono::TimeZone;
use domain::data_endpoint::DataEndpoint;
use domain::id::{ClientId, PersonalTokenId, UserId};
use domain::read_tally::Reader;
use std::sync::Arc;
use uuid::Uuid;

fn key(number: u128) -> RateKey {
    RateKey {
        reader: Reader::Client(ClientId::from_uuid(Uuid::from_u128(number))),
        user: Some(UserId::from_uuid(Uuid::from_u128(7))),
        endpoint: DataEndpoint::Sleep.into(),
    }
}

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

#[tokio::test]
async fn a_refused_request_is_not_counted() {
    let limiter = InProcessRateLimiter::new();
    for left in [1, 0] {
        let status = limiter.count(key(1), 2, noon()).await;
        assert!(status.allowed);
        assert_eq!(status.remaining, left);
    }
    for _ in 0..5 {
        assert!(!limiter.count(key(1), 2, noon()).await.allowed);
    }
    let raised = limiter.count(key(1), 3, noon()).await;
    assert!(raised.allowed && raised.remaining == 0, "only the two granted ones count");
}

#[tokio::test]
async fn reader_person_and_endpoint_each_have_their_own_counter() {
    let limiter = InProcessRateLimiter::new();
    // Of the same number as the client.
    let token = PersonalTokenId::from_uuid(Uuid::from_u128(1));
    let personal = RateKey { reader: Reader::PersonalToken(token), ..key(1) };
    let other_user = RateKey { user: Some(UserId::from_uuid(Uuid::from_u128(8))), ..key(1) };
    let other_endpoint = RateKey { endpoint: DataEndpoint::Profile.into(), ..key(1) };
    for key in [key(1), key(2), personal, other_user, other_endpoint] {
        assert!(limiter.count(key, 1, noon()).await.allowed);
        assert!(!limiter.count(key, 1, noon()).await.allowed);
    }
}

#[tokio::test]
async fn a_new_day_starts_from_nothing_and_the_old_one_still_counts_its_own() {
    let limiter = InProcessRateLimiter::new();
    let midnight = Utc.with_ymd_and_hms(2026, 3, 9, 0, 0, 0).unwrap();
    let before = midnight - TimeDelta::microseconds(1);
    assert!(limiter.count(key(1), 1, before).await.allowed);
    let next = limiter.count(key(1), 1, midnight).await;
    assert!(next.allowed);
    assert_eq!(next.reset, midnight.timestamp() + 86_400);
    let late = limiter.count(key(1), 1, before).await;
    assert!(!late.allowed, "a request that began before midnight finds the old day's counter");
    assert_eq!(late.reset, midnight.timestamp());
}

#[tokio::test]
async fn counters_of_past_days_do_not_pile_up() {
    let limiter = InProcessRateLimiter::new();
    for day in 0..10 {
        let now = noon() + TimeDelta::days(day);
        for number in 0..1_000 {
            limiter.count(key(number), 5, now).await;
        }
        assert_eq!(limiter.counters.len(), 1_000);
    }
}

#[tokio::test]
async fn a_clock_that_was_years_ahead_leaves_no_trace() {
    let limiter = InProcessRateLimiter::new();
    limiter.count(key(1), 1, noon() + TimeDelta::days(5_000)).await;
    let status = limiter.count(key(1), 1, noon()).await;
    assert!(status.allowed);
    assert_eq!(limiter.counters.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_many_requests_at_once_exactly_the_limit_is_granted() {
    let limiter = Arc::new(InProcessRateLimiter::new());
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move {
                let mut granted = 0;
                for _ in 0..2_000 {
                    granted += u32::from(limiter.count(key(1), 10_000, noon()).await.allowed);
                }
                granted
            })
        })
        .collect();
    let mut granted = 0;
    for task in tasks {
        granted += task.await.unwrap();
    }
    assert_eq!(granted, 10_000);
}
