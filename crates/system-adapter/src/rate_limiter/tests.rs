use super::*;
use chrono::TimeZone;
use domain::data_kind::DataKind;
use domain::id::{ClientId, UserId};
use domain::read_tally::Reader;
use std::sync::Arc;
use uuid::Uuid;

fn key(number: u128) -> RateKey {
    RateKey {
        reader: Reader::Client(ClientId::from_uuid(Uuid::from_u128(number))),
        user: Some(UserId::from_uuid(Uuid::from_u128(7))),
        endpoint: DataKind::Sleep.into(),
    }
}

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

mod contract {
    use super::*;

    fn new_limiter() -> std::future::Ready<(Arc<dyn RateLimiter>, ())> {
        std::future::ready((Arc::new(InProcessRateLimiter::new()), ()))
    }

    contract_tests::rate_limiter_tests!(new_limiter);
}

#[tokio::test]
async fn counters_of_past_days_are_removed() {
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
async fn counters_of_a_clock_years_ahead_are_removed() {
    let limiter = InProcessRateLimiter::new();
    limiter.count(key(1), 1, noon() + TimeDelta::days(5_000)).await;
    let status = limiter.count(key(1), 1, noon()).await;
    assert!(status.allowed);
    assert_eq!(limiter.counters.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn exactly_the_limit_of_many_concurrent_requests_is_granted() {
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
