//! Limits on concurrent requests of one reader.

use super::world::{USER, World, assert_problem, parts, paths, rate_headers};
use crate::tests::{Parts, log_of, port};
use crate::{Admission, AdmissionLimits};
use application::StorageError;
use application::ports::storage::{SleepPosition, SleepReader};
use application::read::{SleepPage, SleepPageQuery};
use async_trait::async_trait;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::SleepSession;
use futures_util::future::join_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// Store whose large pages block, and whose small ones do not.
struct BlockingStore {
    waiting: AtomicUsize,
    gate: Semaphore,
}

#[async_trait]
impl SleepReader for BlockingStore {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        if query.page.limit_with_lookahead() > 101 || query.page.offset() > 1_000 {
            self.waiting.fetch_add(1, Ordering::Relaxed);
            self.gate.acquire().await.unwrap().forget();
        }
        Ok(SleepPage::default())
    }

    async fn find(&self, _: UserId, _: SleepSessionId) -> Result<Option<SleepSession>, StorageError> {
        Ok(None)
    }

    async fn walk(
        &self,
        _: UserId,
        _: Option<SleepPosition>,
        _: u32,
    ) -> Result<Vec<SleepSession>, StorageError> {
        Ok(Vec::new())
    }
}

#[actix_web::test]
async fn a_reader_with_pending_large_pages_is_rejected_and_small_reads_are_served() {
    let store = Arc::new(BlockingStore { waiting: AtomicUsize::new(0), gate: Semaphore::new(0) });
    let admission = Admission::new(AdmissionLimits { requests: 8, ..AdmissionLimits::default() });
    let world = World::new(Parts { sleep: store.clone(), admission, ..parts() });
    let [path, other_path] = paths("sleep", USER);
    let (large, deep) = (format!("{path}?pageSize=101"), format!("{other_path}?pageSize=100&page=12"));
    let beyond = async {
        while store.waiting.load(Ordering::Relaxed) < 2 {
            tokio::task::yield_now().await;
        }
        for path in [&large, &deep, &paths("supplements", USER)[0]] {
            let refused = world.get(path).await;
            assert_problem(&refused, 503, "too_many_at_once");
            assert_eq!(refused.header("retry-after"), Some("2"));
            // The request was counted.
            rate_headers(&refused);
        }
        for small in [&path, &format!("{path}?page=11"), &paths("profile", USER)[0]] {
            assert_eq!(world.get(small).await.status, 200);
        }
        store.gate.add_permits(2);
    };
    let (first, second, ()) = tokio::join!(world.get(&large), world.get(&deep), beyond);
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    store.gate.add_permits(1);
    assert_eq!(world.get(&large).await.status, 200);
}

#[actix_web::test]
async fn repeated_store_failures_are_logged_once() {
    let profiles = port::profiles(|_| Err(StorageError::Unavailable));
    let world = World::new(Parts { profiles, ..parts() });
    let path = &paths("profile", USER)[0];
    let log = log_of(async {
        for answer in join_all((0..20).map(|_| world.get(path))).await {
            assert_problem(&answer, 503, "storage_unavailable");
        }
    })
    .await;
    let lines: Vec<_> = log.lines().filter(|line| line.contains("storage_unavailable")).collect();
    assert!(matches!(lines[..], [line] if line.contains("ERROR")), "{log}");
    assert_eq!(log.matches("request served").count(), 20, "{log}");
}

#[actix_web::test]
async fn permanent_failures_are_logged_each_time() {
    let corrupt = || StorageError::Corrupt { table: "account", column: "biology", row: "1".to_owned() };
    let world = World::new(Parts { profiles: port::profiles(move |_| Err(corrupt())), ..parts() });
    let log = log_of(async {
        for _ in 0..3 {
            assert_problem(&world.get(&paths("profile", USER)[0]).await, 500, "internal_error");
        }
    })
    .await;
    assert_eq!(log.matches("ERROR").count(), 3, "{log}");
}
