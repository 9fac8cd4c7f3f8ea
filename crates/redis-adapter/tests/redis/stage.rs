//! Test fixtures: a limiter on a server, and a fake in-process counter.

use application::ports::system::RateLimiter;
use async_trait::async_trait;
use chrono::{DateTime, TimeZone, Utc};
use domain::data_kind::DataKind;
use domain::id::{ClientId, UserId};
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use domain::read_tally::Reader;
use redis_adapter::test_support::RedisServer;
use redis_adapter::{RedisOptions, RedisRateLimiter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Answer timeout for tests that are not about it.
pub(crate) const AMPLE: Duration = Duration::from_secs(10);

/// Limit in the fake's responses, by which they are recognised.
pub(crate) const IN_PROCESS: u32 = 4_711;

/// Fake in-process counter that allows everything and counts its calls.
#[derive(Debug, Default)]
pub(crate) struct AskedInProcess(AtomicU32);

impl AskedInProcess {
    pub(crate) fn times(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl RateLimiter for AskedInProcess {
    async fn count(&self, _key: RateKey, _limit: u32, now: DateTime<Utc>) -> RateStatus {
        let used = self.0.fetch_add(1, Ordering::SeqCst);
        RateStatus::after(used, IN_PROCESS, RateWindow::at(now))
    }
}

/// A connected limiter.
pub(crate) struct Stage {
    pub(crate) limiter: Arc<RedisRateLimiter>,
    pub(crate) in_process: Arc<AskedInProcess>,
}

impl Stage {
    /// Starts connecting.
    pub(crate) fn begin(url: &str, answer_timeout: Duration) -> Self {
        Self::with(&RedisOptions::parse(url, None, answer_timeout).unwrap())
    }

    pub(crate) fn with(options: &RedisOptions) -> Self {
        let in_process = Arc::new(AskedInProcess::default());
        let limiter = Arc::new(RedisRateLimiter::start(options, in_process.clone()));
        Self { limiter, in_process }
    }

    /// Connects to a running server.
    pub(crate) async fn on(server: &RedisServer, answer_timeout: Duration) -> Self {
        let stage = Self::begin(&server.url(), answer_timeout);
        stage.until_up().await;
        stage
    }

    pub(crate) async fn count(&self, number: u128, limit: u32) -> RateStatus {
        self.limiter.count(key(number), limit, noon()).await
    }

    pub(crate) async fn until_up(&self) {
        until("the store counts", || self.limiter.is_up()).await;
    }
}

pub(crate) fn key(number: u128) -> RateKey {
    RateKey {
        reader: Reader::Client(ClientId::from_uuid(Uuid::from_u128(number))),
        user: Some(UserId::from_uuid(Uuid::from_u128(7))),
        endpoint: DataKind::Sleep.into(),
    }
}

pub(crate) fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

/// Waits for a condition.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Sends a command to the server over a separate connection.
pub(crate) async fn ask<T: redis::FromRedisValue>(server: &RedisServer, words: &[&str]) -> T {
    let client = redis::Client::open(server.url()).unwrap();
    let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(AMPLE));
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await.unwrap();
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]).query_async(&mut connection).await.unwrap()
}
