use crate::audit::testing::event;
use crate::audit::{AuditRetention, InvalidAuditRetention, MAX_RETENTION_DAYS, PruneAudit, PrunedAudit};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{AuditRepository, MockReadTallyStore};
use crate::testing::{noon, store};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use std::sync::Arc;

/// Prunes with this retention for both kinds.
fn prune(units: &Arc<PreparedUnitsOfWork>, reads: MockReadTallyStore, days: (u32, u32)) -> PruneAudit {
    let retention = AuditRetention::from_days(days.0, days.1).unwrap();
    PruneAudit { store: store(units), reads: Arc::new(reads), retention }
}

/// A store with this many expired tallies.
fn old_reads(mut rest: u64) -> MockReadTallyStore {
    let mut reads = MockReadTallyStore::new();
    reads.expect_delete_before().withf(|before, _| *before == noon() - TimeDelta::days(400)).returning(
        move |_, limit| {
            let batch = rest.min(u64::from(limit));
            rest -= batch;
            Ok(batch)
        },
    );
    reads
}

#[tokio::test]
async fn old_events_are_deleted_in_batches_each_in_a_separate_unit_of_work() {
    let units = Arc::new(PreparedUnitsOfWork::new((0..3).map(|_| MockUnitOfWork::default())));
    let mut trail = units.events();
    let end = noon() - TimeDelta::days(730);
    let aged = |age| AuditEvent { at: end + age, ..event(AuditActor::Client, AuditKind::GrantCreated) };
    for _ in 0..1_100 {
        trail.append(&aged(TimeDelta::microseconds(-1))).await.unwrap();
    }
    trail.append(&aged(TimeDelta::zero())).await.unwrap();
    let pruned = prune(&units, old_reads(1_000), (730, 400)).run().await.unwrap();
    assert_eq!(pruned, PrunedAudit { events: 1_100, reads: 1_000 });
    assert_eq!(trail.all(), [aged(TimeDelta::zero())]);
    assert_eq!(units.endings().committed(), 3);
}

#[tokio::test]
async fn nothing_is_deleted_if_nothing_is_too_old() {
    let units = Arc::new(PreparedUnitsOfWork::new([MockUnitOfWork::default()]));
    let pruned = prune(&units, old_reads(0), (1, 400)).run().await.unwrap();
    assert_eq!(pruned, PrunedAudit { events: 0, reads: 0 });
}

#[test]
fn by_default_events_are_kept_for_two_years_and_reads_for_four_hundred_days() {
    let retention = AuditRetention::default();
    assert_eq!(retention.of_events(), TimeDelta::days(730));
    assert_eq!(retention.of_reads(), TimeDelta::days(400));
}

#[test]
fn the_audit_is_kept_for_a_day_at_least_and_a_hundred_years_at_most() {
    for days in [1, 730, MAX_RETENTION_DAYS] {
        assert!(AuditRetention::from_days(days, 1).is_ok());
        assert!(AuditRetention::from_days(1, days).is_ok());
    }
    for days in [0, MAX_RETENTION_DAYS + 1, u32::MAX] {
        assert_eq!(AuditRetention::from_days(days, 1), Err(InvalidAuditRetention));
        assert_eq!(AuditRetention::from_days(1, days), Err(InvalidAuditRetention));
    }
}
