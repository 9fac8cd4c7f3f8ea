use crate::audit::testing::event;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{client_id, store, units};
use domain::audit::{AuditActor, AuditKind};

#[tokio::test]
async fn a_rejection_is_audited_in_a_separate_transaction() {
    let units = units([MockUnitOfWork::default()]);
    let rejected = event(AuditActor::Client, AuditKind::RefreshTokenMisused).client(client_id(1));
    store(&units).record_rejection(&rejected).await;
    assert_eq!(units.events().all(), [rejected]);
    assert_eq!(units.endings().committed(), 1);
}

#[tokio::test]
async fn a_rejection_that_cannot_be_audited_is_still_a_rejection() {
    let units = units([]);
    store(&units).record_rejection(&event(AuditActor::Client, AuditKind::RefreshTokenMisused)).await;
    assert_eq!(units.endings().opened(), 1);
}
