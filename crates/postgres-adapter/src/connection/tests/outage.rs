use super::log::log_of;
use crate::connection::Outage;
use crate::test_support::TestDatabase;
use crate::{PostgresOptions, PostgresStore};
use std::time::Duration;

fn levels(log: &[String]) -> Vec<&str> {
    log.iter().map(|line| line.split_whitespace().next().unwrap()).collect()
}

#[tokio::test]
async fn an_outage_and_its_end_are_each_logged_once() {
    let outage = Outage::default();
    let log = log_of(Box::pin(async {
        outage.end();
        for _ in 0..3 {
            outage.log_failure("connection refused");
        }
        outage.end();
        outage.end();
        outage.log_failure("connection refused");
    }))
    .await;
    assert_eq!(levels(&log), ["WARN", "DEBUG", "DEBUG", "INFO", "WARN"]);
    assert!(log[0].contains("connection refused"), "{log:?}");
}

#[tokio::test]
async fn a_new_reason_is_another_warning() {
    let outage = Outage::default();
    let log = log_of(Box::pin(async {
        for reason in ["connection refused", "starting up", "starting up"] {
            outage.log_failure(reason);
        }
    }))
    .await;
    assert_eq!(levels(&log), ["WARN", "WARN", "DEBUG"]);
}

#[tokio::test]
async fn an_unreachable_server_is_logged_once() {
    let log = log_of(Box::pin(async {
        let options = PostgresOptions::new("postgres://nobody:LEAKME@127.0.0.1:1/nothing");
        let store = PostgresStore::connect(&options).unwrap();
        assert_eq!(store.unavailability(), None);
        for _ in 0..2 {
            assert!(store.pooled().await.is_err());
            let reason = store.unavailability().unwrap();
            assert!(reason.contains("refused") && !reason.contains("LEAKME"), "{reason}");
            store.migrate().await.unwrap_err();
            store.shared(|_| Box::pin(async { Ok(()) })).await.unwrap_err();
        }
    }))
    .await;
    assert_eq!(levels(&log), ["WARN", "DEBUG", "DEBUG", "DEBUG", "DEBUG", "DEBUG"]);
    assert!(log[0].contains("refused") && !log.concat().contains("LEAKME"), "{log:?}");
}

#[tokio::test]
async fn an_exhausted_pool_is_logged_once_until_a_connection_is_free() {
    let database = TestDatabase::create_without_schema().await;
    let options = PostgresOptions {
        pool_size: 1,
        wait_timeout: Duration::from_secs(2),
        ..PostgresOptions::new(database.url())
    };
    let store = PostgresStore::connect(&options).unwrap();
    let log = log_of(Box::pin(async {
        let taken = store.pooled().await;
        assert!(taken.is_ok());
        assert!(store.pooled().await.is_err());
        assert!(store.pooled().await.is_err());
        drop(taken);
        assert!(store.pooled().await.is_ok());
        assert!(store.pooled().await.is_ok());
    }))
    .await;
    assert_eq!(levels(&log), ["WARN", "DEBUG", "INFO"]);
    assert!(log[0].contains("no pooled connection became free in time"), "{log:?}");
}
