//! Jobs that run on one process at a time.

use crate::Harness;
use application::ports::storage::Job::Housekeeping;
use chrono::TimeDelta;
use std::sync::Arc;
use uuid::Uuid;

fn holder(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// Returns a duration longer than any case.
fn long() -> TimeDelta {
    TimeDelta::hours(1)
}

pub(crate) async fn one_of_many_processes_takes_a_job(harness: &Harness) {
    // All start at once.
    let start = Arc::new(tokio::sync::Barrier::new(20));
    let tasks: Vec<_> = (0..20)
        .map(|number| {
            let (harness, start) = (harness.clone(), start.clone());
            tokio::spawn(async move {
                start.wait().await;
                harness.leases.take(Housekeeping, holder(number), long()).await.unwrap()
            })
        })
        .collect();
    let mut taken = 0;
    for task in tasks {
        taken += u32::from(task.await.unwrap());
    }
    assert_eq!(taken, 1);
}

pub(crate) async fn a_job_whose_lease_is_not_renewed_is_taken_over(harness: &Harness) {
    let leases = &harness.leases;
    assert!(leases.take(Housekeeping, holder(1), long()).await.unwrap());
    assert!(!leases.take(Housekeeping, holder(2), long()).await.unwrap());
    assert!(leases.renew(Housekeeping, holder(1), long()).await.unwrap());
    assert!(!leases.renew(Housekeeping, holder(2), TimeDelta::zero()).await.unwrap());
    assert!(!leases.take(Housekeeping, holder(2), long()).await.unwrap());
    // Extended until now, so it has expired.
    assert!(leases.renew(Housekeeping, holder(1), TimeDelta::zero()).await.unwrap());
    assert!(leases.take(Housekeeping, holder(2), long()).await.unwrap());
    assert!(!leases.renew(Housekeeping, holder(1), long()).await.unwrap());
    // Too late: another process has the lease.
    leases.finish(Housekeeping, holder(1), TimeDelta::zero()).await.unwrap();
    assert!(!leases.take(Housekeeping, holder(3), long()).await.unwrap());
}

pub(crate) async fn a_finished_job_is_leased_again_when_it_is_due(harness: &Harness) {
    let leases = &harness.leases;
    assert!(leases.take(Housekeeping, holder(1), long()).await.unwrap());
    leases.finish(Housekeeping, holder(1), TimeDelta::zero()).await.unwrap();
    assert!(leases.take(Housekeeping, holder(2), long()).await.unwrap());
    leases.finish(Housekeeping, holder(2), long()).await.unwrap();
    for number in [1, 2, 3] {
        assert!(!leases.take(Housekeeping, holder(number), long()).await.unwrap());
    }
}

pub(crate) async fn the_clock_of_the_store_advances(harness: &Harness) {
    let mut last = harness.clock.store_now().await.unwrap();
    for _ in 0..10 {
        let now = harness.clock.store_now().await.unwrap();
        assert!(now >= last, "{now} after {last}");
        assert_eq!(now.timestamp_subsec_nanos() % 1_000, 0, "finer than a microsecond");
        last = now;
    }
}
