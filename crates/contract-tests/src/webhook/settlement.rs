//! State of events after attempts to deliver them.

use super::{CHANGED, due_events, endpoint_id, event, pending, prepare, settle};
use crate::Harness;
use crate::fixture::{seconds, session, user_id};
use application::ports::storage::Settlement;
use chrono::DateTime;
use domain::id::UserId;
use domain::webhook::{EventKey, EventKind};
use uuid::Uuid;

pub(crate) async fn an_event_is_settled_only_as_far_as_it_was_read(harness: &Harness) {
    prepare(harness).await;
    let key = event(1, CHANGED);
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let first = pending(harness, key).await.unwrap();
    harness.store_sessions(user_id(1), &[session(2, 1_000)]).await;
    // The second change came while the first was being sent.
    settle(harness, key, first.number, Settlement::Announced).await;
    let second = pending(harness, key).await.unwrap();
    assert_eq!((second.number, second.announced), (first.number + 1, first.number));
    settle(harness, key, first.number, Settlement::Dropped).await;
    assert!(pending(harness, key).await.is_some());
    settle(harness, key, second.number, Settlement::Announced).await;
    assert_eq!(pending(harness, key).await, None);
    harness.store_sessions(user_id(1), &[session(3, 2_000)]).await;
    let third = pending(harness, key).await.unwrap();
    assert_eq!((third.number, third.announced), (second.number + 1, second.number));
    settle(harness, key, third.number, Settlement::Dropped).await;
    assert_eq!((pending(harness, key).await, due_events(harness).await), (None, vec![]));
}

pub(crate) async fn a_paused_event_continues_from_where_it_was_with_the_next_change(harness: &Harness) {
    prepare(harness).await;
    let key = event(1, CHANGED);
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let first = pending(harness, key).await.unwrap();
    settle(harness, key, first.number, Settlement::Paused).await;
    assert_eq!((pending(harness, key).await, due_events(harness).await), (None, vec![]));
    harness.store_sessions(user_id(1), &[session(2, 1_000)]).await;
    let second = pending(harness, key).await.unwrap();
    assert_eq!((second.number, second.announced), (first.number + 1, first.announced));
    harness.store_sessions(user_id(1), &[session(3, 2_000)]).await;
    settle(harness, key, second.number, Settlement::Paused).await;
    assert_eq!(due_events(harness).await, [key]);
}

pub(crate) async fn a_replay_during_a_delivery_is_not_lost(harness: &Harness) {
    prepare(harness).await;
    let key = event(1, CHANGED);
    for number in 1..=2 {
        harness.store_sessions(user_id(1), &[session(number, i64::try_from(number).unwrap() * 1_000)]).await;
        let number = pending(harness, key).await.unwrap().number;
        settle(harness, key, number, Settlement::Announced).await;
    }
    harness.store_sessions(user_id(1), &[session(3, 3_000)]).await;
    let read = pending(harness, key).await.unwrap();
    let mut unit = harness.begin().await;
    unit.webhooks().replay(key, 1, seconds(0)).await.unwrap();
    unit.webhooks().settle(&read, Settlement::Announced).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(pending(harness, key).await.unwrap().announced, 1);
}

pub(crate) async fn a_failed_event_waits_for_its_time_also_if_more_changes(harness: &Harness) {
    prepare(harness).await;
    let key = event(1, CHANGED);
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let number = pending(harness, key).await.unwrap().number;
    settle(harness, key, number, Settlement::Retry(seconds(60))).await;
    settle(harness, key, number, Settlement::Retry(seconds(90))).await;
    harness.store_sessions(user_id(1), &[session(2, 1_000)]).await;
    let event = pending(harness, key).await.unwrap();
    assert_eq!((event.failed, event.due_at, event.number), (2, seconds(90), number + 1));
    assert_eq!(due_events(harness).await, []);
    assert_eq!(harness.webhooks.list_due_events(&[endpoint_id(1)], seconds(90), 9).await.unwrap(), [key]);
    settle(harness, key, number, Settlement::Kept).await;
    let event = pending(harness, key).await.unwrap();
    assert_eq!((event.failed, event.due_at), (0, DateTime::UNIX_EPOCH));
}

pub(crate) async fn a_queued_event_replaces_the_one_before_and_is_gone_once_delivered(harness: &Harness) {
    prepare(harness).await;
    let nobody = UserId::from_uuid(Uuid::nil());
    let key = EventKey { user_id: nobody, endpoint_id: endpoint_id(1), kind: EventKind::EndpointTest };
    for number in [5, 7] {
        commit!(harness, webhooks().queue(key, number));
        settle(harness, key, 1, Settlement::Retry(seconds(60))).await;
    }
    commit!(harness, webhooks().queue(key, 8));
    let event = pending(harness, key).await.unwrap();
    assert_eq!((event.number, event.failed, event.due_at), (8, 0, DateTime::UNIX_EPOCH));
    settle(harness, key, 7, Settlement::Announced).await;
    assert!(pending(harness, key).await.is_some());
    settle(harness, key, 8, Settlement::Announced).await;
    assert_eq!(pending(harness, key).await, None);
}

pub(crate) async fn an_event_keeps_the_time_of_the_first_change_until_it_is_announced(harness: &Harness) {
    prepare(harness).await;
    let key = event(1, CHANGED);
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let first = pending(harness, key).await.unwrap();
    settle(harness, key, first.number, Settlement::Paused).await;
    harness.store_sessions(user_id(1), &[session(2, 1_000)]).await;
    let second = pending(harness, key).await.unwrap();
    assert_eq!(second.occurred_at, first.occurred_at);
    settle(harness, key, second.number, Settlement::Announced).await;
    harness.store_sessions(user_id(1), &[session(3, 2_000)]).await;
    assert!(pending(harness, key).await.unwrap().occurred_at > first.occurred_at);
}
