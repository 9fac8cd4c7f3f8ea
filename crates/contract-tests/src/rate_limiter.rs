//! Test suite for every rate limiter (decisions 7).
//!
//! A case is a function over an `Arc<dyn RateLimiter>` without any counts.

use crate::fixture::{client_id, microsecond, user_id};
use application::ports::system::RateLimiter;
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::id::PersonalTokenId;
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use domain::read_tally::Reader;
use std::collections::HashMap;
use std::sync::Arc;

/// Declares the cases as functions and as the tests that `rate_limiter_tests!` expands to.
///
/// The first token is a dollar sign, for the macro defined by this macro.
macro_rules! limiter_suite {
    ($dollar:tt $($case:ident),* $(,)?) => {
        /// Every case of the rate limiter.
        pub mod cases {
            use application::ports::system::RateLimiter;
            use std::sync::Arc;
            $(
                #[expect(missing_docs, reason = "the names are self-explanatory")]
                pub async fn $case(limiter: Arc<dyn RateLimiter>) {
                    super::$case(limiter).await;
                }
            )*
        }

        /// Expands to one test for each case. The argument is the name of an async function without
        /// arguments. It returns an `Arc<dyn RateLimiter>` without any counts, and a value that is dropped
        /// after the test.
        #[macro_export]
        macro_rules! rate_limiter_tests {
            ($dollar make_limiter:ident) => {
                $(
                    #[tokio::test(flavor = "multi_thread")]
                    async fn $case() {
                        let (limiter, _kept) = $dollar make_limiter().await;
                        $crate::rate_limiter::cases::$case(limiter).await;
                    }
                )*
            };
        }
    };
}

limiter_suite! {
    $
    remaining_counts_down_to_zero_and_the_next_request_is_rejected,
    a_refused_request_is_not_counted,
    a_lowered_limit_refuses_and_a_raised_one_grants_again,
    a_limit_of_zero_rejects_everything,
    reader_person_and_endpoint_each_have_their_own_counter,
    requests_without_a_person_have_a_separate_counter,
    a_new_day_starts_at_zero_and_the_old_one_still_counts,
    exactly_the_limit_of_many_concurrent_requests_is_granted,
    any_order_of_requests_has_the_expected_counts,
}

fn key(number: u64) -> RateKey {
    RateKey {
        reader: Reader::Client(client_id(number)),
        user: Some(user_id(7)),
        endpoint: DataKind::Sleep.into(),
    }
}

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

async fn remaining_counts_down_to_zero_and_the_next_request_is_rejected(limiter: Arc<dyn RateLimiter>) {
    let reset = RateWindow::at(noon()).reset();
    for left in [2, 1, 0] {
        let expected = RateStatus { limit: 3, remaining: left, reset, allowed: true };
        assert_eq!(limiter.count(key(1), 3, noon()).await, expected);
    }
    let refused = RateStatus { limit: 3, remaining: 0, reset, allowed: false };
    assert_eq!(limiter.count(key(1), 3, noon()).await, refused);
}

async fn a_refused_request_is_not_counted(limiter: Arc<dyn RateLimiter>) {
    for _ in 0..2 {
        assert!(limiter.count(key(1), 2, noon()).await.allowed);
    }
    for _ in 0..5 {
        assert!(!limiter.count(key(1), 2, noon()).await.allowed);
    }
    let raised = limiter.count(key(1), 3, noon()).await;
    assert!(raised.allowed && raised.remaining == 0, "only the two granted ones count");
}

async fn a_lowered_limit_refuses_and_a_raised_one_grants_again(limiter: Arc<dyn RateLimiter>) {
    for _ in 0..4 {
        assert!(limiter.count(key(1), 1_000_000_000, noon()).await.allowed);
    }
    let lowered = limiter.count(key(1), 3, noon()).await;
    assert!(!lowered.allowed && lowered.remaining == 0 && lowered.limit == 3);
    assert_eq!(limiter.count(key(1), 10, noon()).await.remaining, 5);
}

async fn a_limit_of_zero_rejects_everything(limiter: Arc<dyn RateLimiter>) {
    for _ in 0..3 {
        assert!(!limiter.count(key(1), 0, noon()).await.allowed);
    }
}

async fn reader_person_and_endpoint_each_have_their_own_counter(limiter: Arc<dyn RateLimiter>) {
    // The same number as the client.
    let token = PersonalTokenId::from_uuid(client_id(1).as_uuid());
    let mut keys = vec![
        key(2),
        RateKey { reader: Reader::PersonalToken(token), ..key(1) },
        RateKey { user: Some(user_id(8)), ..key(1) },
    ];
    keys.extend(PersonEndpoint::all().map(|endpoint| RateKey { endpoint, ..key(1) }));
    for key in keys {
        assert!(limiter.count(key, 1, noon()).await.allowed, "{key:?}");
        assert!(!limiter.count(key, 1, noon()).await.allowed, "{key:?}");
    }
}

async fn requests_without_a_person_have_a_separate_counter(limiter: Arc<dyn RateLimiter>) {
    let nobody = RateKey { user: None, endpoint: PersonEndpoint::Ingest, ..key(1) };
    let somebody = RateKey { user: Some(user_id(0)), ..nobody };
    for key in [nobody, somebody] {
        assert!(limiter.count(key, 1, noon()).await.allowed);
        assert!(!limiter.count(key, 1, noon()).await.allowed);
    }
}

async fn a_new_day_starts_at_zero_and_the_old_one_still_counts(limiter: Arc<dyn RateLimiter>) {
    let midnight = Utc.with_ymd_and_hms(2026, 3, 9, 0, 0, 0).unwrap();
    let before = midnight - microsecond();
    assert!(limiter.count(key(1), 1, before).await.allowed);
    let next = limiter.count(key(1), 1, midnight).await;
    assert!(next.allowed);
    assert_eq!(next.reset, midnight.timestamp() + 86_400);
    let late = limiter.count(key(1), 1, before).await;
    assert!(!late.allowed, "a request that began before midnight finds the old day's counter");
    assert_eq!(late.reset, midnight.timestamp());
}

async fn exactly_the_limit_of_many_concurrent_requests_is_granted(limiter: Arc<dyn RateLimiter>) {
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move {
                let mut granted = 0;
                for _ in 0..250 {
                    granted += u32::from(limiter.count(key(1), 1_500, noon()).await.allowed);
                }
                granted
            })
        })
        .collect();
    let mut granted = 0;
    for task in tasks {
        granted += task.await.unwrap();
    }
    assert_eq!(granted, 1_500);
}

async fn any_order_of_requests_has_the_expected_counts(limiter: Arc<dyn RateLimiter>) {
    let midnight = noon() + TimeDelta::hours(12);
    let mut counted: HashMap<(RateKey, RateWindow), u32> = HashMap::new();
    let mut state: u64 = 0x2026_1121;
    // A fixed pseudo-random order (Knuth's constants), so that failures are reproducible.
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..600 {
        let key = key(draw(3));
        // Limits vary, and days overlap, as for requests that started before midnight.
        let limit = u32::try_from(draw(60)).unwrap();
        let now = midnight + TimeDelta::seconds(if draw(2) == 0 { -20 } else { 20 });
        let window = RateWindow::at(now);
        let used = counted.entry((key, window)).or_default();
        let expected = RateStatus::after(*used, limit, window);
        assert_eq!(limiter.count(key, limit, now).await, expected);
        *used += u32::from(expected.allowed);
    }
}
