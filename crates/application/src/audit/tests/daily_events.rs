use super::minutes_ago;
use crate::audit::DailyEvents;
use crate::audit::testing::event;
use crate::ports::storage::UnitOfWorkFactory as _;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{client_id, user_id};
use domain::audit::{AuditActor, AuditEvent, AuditKind};

fn daily_event(user: u128) -> AuditEvent {
    event(AuditActor::Client, AuditKind::SleepWritten).user(user_id(user)).client(client_id(1))
}

/// Stores these events in an empty store; returns the events passed to it.
async fn commit(daily: &DailyEvents, events: &[AuditEvent]) -> Vec<AuditEvent> {
    let units = PreparedUnitsOfWork::new([MockUnitOfWork::default()]);
    let mut unit = units.begin().await.unwrap();
    let appended = daily.append(unit.as_mut(), events.to_vec()).await.unwrap();
    daily.remember(&appended);
    assert_eq!(appended, units.events().all());
    appended
}

#[tokio::test]
async fn a_daily_event_is_stored_once_a_day() {
    let daily = DailyEvents::default();
    assert_eq!(commit(&daily, &[daily_event(1)]).await, [daily_event(1)]);
    assert!(daily.is_known(&daily_event(1)) && !daily.is_known(&daily_event(2)));
    let later = AuditEvent { at: minutes_ago(-700), ..daily_event(1) };
    assert_eq!(commit(&daily, &[later, daily_event(2)]).await, [daily_event(2)]);
    let deleted = AuditEvent { kind: AuditKind::SleepDeleted, ..daily_event(1) };
    assert_eq!(commit(&daily, std::slice::from_ref(&deleted)).await, [deleted]);
}

#[tokio::test]
async fn a_daily_event_is_stored_again_the_next_day() {
    let daily = DailyEvents::default();
    commit(&daily, &[daily_event(1)]).await;
    let next_day = AuditEvent { at: minutes_ago(-720), ..daily_event(1) };
    assert_eq!(commit(&daily, std::slice::from_ref(&next_day)).await, std::slice::from_ref(&next_day));
    assert_eq!(commit(&daily, &[next_day]).await, []);
}

#[tokio::test]
async fn the_store_is_queried_for_events_since_the_start_of_the_day() {
    // Another process has appended it before.
    let units = PreparedUnitsOfWork::new([(); 3].map(|()| MockUnitOfWork::default()));
    let early = AuditEvent { at: minutes_ago(720), ..daily_event(1) };
    let yesterday = AuditEvent { at: minutes_ago(721), ..daily_event(1) };
    for (event, expected) in [(yesterday, 1), (early, 2), (daily_event(1), 2)] {
        let mut unit = units.begin().await.unwrap();
        DailyEvents::default().append(unit.as_mut(), vec![event]).await.unwrap();
        assert_eq!(units.events().all().len(), expected);
    }
}
