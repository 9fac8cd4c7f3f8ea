use crate::audit::testing::{assert_events, event};
use crate::audit::{AuditTrail, append_refusal, commit};
use crate::ports::storage::UnitOfWorkFactory;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{client_id, clock, entropy, user_id};
use domain::audit::{AuditActor, AuditKind};

fn one() -> PreparedUnitsOfWork {
    PreparedUnitsOfWork::new([MockUnitOfWork::default()])
}

#[tokio::test]
async fn events_are_appended_in_order_before_the_unit_of_work_is_committed() {
    let trail = AuditTrail::new(entropy(), clock());
    let events = [
        trail.event(AuditActor::Operator, AuditKind::UserLocked).user(user_id(1)),
        trail.event(AuditActor::Operator, AuditKind::UserChanged).user(user_id(1)),
    ];
    let units = one();
    commit(units.begin().await.unwrap(), &events).await.unwrap();
    assert_eq!(units.events().all(), events);
    assert_eq!(units.endings().committed(), 1);
    let expected = [
        event(AuditActor::Operator, AuditKind::UserLocked).user(user_id(1)),
        event(AuditActor::Operator, AuditKind::UserChanged).user(user_id(1)),
    ];
    assert_events(&units.events(), &expected);
}

#[tokio::test]
async fn a_rejection_is_audited_in_a_separate_unit_of_work() {
    let units = one();
    let refused = event(AuditActor::Client, AuditKind::RefreshTokenMisused).client(client_id(1));
    append_refusal(&units, &refused).await;
    assert_eq!(units.events().all(), [refused]);
    assert_eq!(units.endings().committed(), 1);
}

#[tokio::test]
async fn a_rejection_that_cannot_be_audited_is_still_a_rejection() {
    let units = PreparedUnitsOfWork::new([]);
    append_refusal(&units, &event(AuditActor::Client, AuditKind::RefreshTokenMisused)).await;
    assert_eq!(units.endings().opened(), 1);
}
