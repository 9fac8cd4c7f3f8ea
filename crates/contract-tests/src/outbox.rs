//! Messages that wait for delivery.

use crate::Harness;
use crate::fixture::{message, message_id, microsecond, seconds};
use application::ports::storage::{MailBacklog, QueuedMessage};
use domain::id::MessageId;

async fn queue(harness: &Harness, messages: &[QueuedMessage]) {
    let mut unit = harness.begin().await;
    for message in messages {
        unit.outbox().insert(message).await.unwrap();
    }
    unit.commit().await.unwrap();
}

/// Claims messages due `at` seconds after [`now`], which become due again at `again`.
async fn claim(harness: &Harness, at: i64, again: i64, limit: u32) -> Vec<QueuedMessage> {
    commit!(harness, outbox().claim(seconds(at), seconds(again), limit))
}

fn ids(messages: &[QueuedMessage]) -> Vec<MessageId> {
    messages.iter().map(|message| message.id).collect()
}

pub(crate) async fn the_backlog_has_a_count_and_the_oldest_time(harness: &Harness) {
    let backlog = async || harness.outbox.backlog().await.unwrap();
    assert_eq!(backlog().await, MailBacklog::default());
    let queued = |number, at| QueuedMessage { queued_at: seconds(at), ..message(number, 10) };
    queue(harness, &[queued(1, -10), queued(2, -30), queued(3, -20)]).await;
    let waiting = |messages, at| MailBacklog { messages, oldest_queued_at: Some(seconds(at)) };
    assert_eq!(backlog().await, waiting(3, -30));
    // A claimed message is not sent yet.
    assert_eq!(claim(harness, 50, 99, 9).await.len(), 3);
    let mut unit = harness.begin().await;
    unit.outbox().delete(message_id(2)).await.unwrap();
    assert_eq!(backlog().await, waiting(3, -30));
    unit.commit().await.unwrap();
    assert_eq!(backlog().await, waiting(2, -20));
}

pub(crate) async fn a_claimed_message_is_as_queued_with_one_attempt_more_and_due_later(harness: &Harness) {
    let tried = QueuedMessage { attempts: 4, ..message(2, -20) };
    queue(harness, &[message(1, -10), tried.clone()]).await;
    let due = |message, attempts| QueuedMessage { attempts, due_at: seconds(60), ..message };
    assert_eq!(claim(harness, 0, 60, 9).await, [due(tried.clone(), 5), due(message(1, 0), 1)]);
    assert_eq!(claim(harness, 59, 99, 9).await, []);
    let again = claim(harness, 60, 99, 9).await;
    assert_eq!(ids(&again), [1, 2].map(message_id));
    assert_eq!(again[0], QueuedMessage { attempts: 2, due_at: seconds(99), ..message(1, 0) });
}

pub(crate) async fn a_message_is_claimed_once_it_is_due(harness: &Harness) {
    queue(harness, &[message(1, 10)]).await;
    let mut unit = harness.begin().await;
    let early = seconds(10) - microsecond();
    assert_eq!(unit.outbox().claim(early, seconds(99), 9).await.unwrap(), []);
    assert_eq!(ids(&unit.outbox().claim(seconds(10), seconds(99), 9).await.unwrap()), [message_id(1)]);
}

pub(crate) async fn the_longest_due_come_first_up_to_the_limit(harness: &Harness) {
    queue(harness, &[message(1, 30), message(2, 10), message(3, 40), message(4, 20), message(5, 99)]).await;
    assert_eq!(ids(&claim(harness, 50, 1000, 3).await), [2, 4, 1].map(message_id));
    assert_eq!(ids(&claim(harness, 50, 1000, 3).await), [message_id(3)]);
    assert_eq!(claim(harness, 50, 1000, 3).await, []);
}

pub(crate) async fn each_message_is_claimed_by_one_of_several_callers(harness: &Harness) {
    let messages: Vec<_> = (1..=20).map(|number| message(number, -1)).collect();
    queue(harness, &messages).await;
    let tasks: Vec<_> = (0..30)
        .map(|_| {
            let harness = harness.clone();
            tokio::spawn(async move { claim(&harness, 0, 1000, 3).await })
        })
        .collect();
    let mut claimed = Vec::new();
    for task in tasks {
        let messages = task.await.unwrap();
        assert!(messages.len() <= 3);
        claimed.extend(ids(&messages));
    }
    // A claim skips messages held by another one, which remain for the next.
    claimed.extend(ids(&claim(harness, 0, 1000, 20).await));
    claimed.sort_unstable();
    assert_eq!(claimed, ids(&messages));
}

pub(crate) async fn rolled_back_messages_are_neither_queued_nor_claimed(harness: &Harness) {
    queue(harness, &[message(1, -1)]).await;
    let mut unit = harness.begin().await;
    unit.outbox().insert(&message(2, -1)).await.unwrap();
    assert_eq!(unit.outbox().claim(seconds(0), seconds(60), 9).await.unwrap().len(), 2);
    unit.rollback().await.unwrap();
    let claimed = claim(harness, 0, 60, 9).await;
    assert_eq!(claimed, [QueuedMessage { attempts: 1, due_at: seconds(60), ..message(1, -1) }]);
}

pub(crate) async fn a_postponed_message_is_due_at_its_new_time(harness: &Harness) {
    queue(harness, &[message(1, -1), message(2, -1)]).await;
    let mut unit = harness.begin().await;
    unit.outbox().postpone(message_id(1), seconds(30)).await.unwrap();
    // One that was sent in the meantime.
    unit.outbox().postpone(message_id(3), seconds(-9)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(ids(&claim(harness, 29, 1000, 9).await), [message_id(2)]);
    let claimed = claim(harness, 30, 1000, 9).await;
    assert_eq!(claimed, [QueuedMessage { attempts: 1, due_at: seconds(1000), ..message(1, -1) }]);
}

pub(crate) async fn a_message_is_deleted_once(harness: &Harness) {
    queue(harness, &[message(1, -1), message(2, -1)]).await;
    let mut unit = harness.begin().await;
    assert!(unit.outbox().delete(message_id(1)).await.unwrap());
    assert!(!unit.outbox().delete(message_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(ids(&claim(harness, 0, 60, 9).await), [message_id(2)]);
}

pub(crate) async fn messages_that_were_queued_long_ago_are_deleted_up_to_the_limit(harness: &Harness) {
    let queued = |number, at| QueuedMessage { queued_at: seconds(at), ..message(number, 10) };
    queue(harness, &[queued(1, -30), queued(2, -10), queued(3, -20), queued(4, 0)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.outbox().delete_queued_before(seconds(0), 2).await.unwrap(), 2);
    assert_eq!(unit.outbox().delete_queued_before(seconds(0) - microsecond(), 2).await.unwrap(), 1);
    assert_eq!(unit.outbox().delete_queued_before(seconds(0), 2).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(ids(&claim(harness, 50, 99, 9).await), [message_id(4)]);
}
