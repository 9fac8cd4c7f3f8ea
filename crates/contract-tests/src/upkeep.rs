//! Maintenance of the store by a server.

use crate::Harness;
use crate::fixture::{erasure_id, now, user, user_id};
use application::ports::storage::{Erasure, MailBacklog};

pub(crate) async fn a_probe_of_writes_leaves_nothing_behind(harness: &Harness) {
    assert_eq!(harness.upkeep.write_refusal(), None);
    for _ in 0..3 {
        harness.upkeep.probe_writes().await.unwrap();
        assert_eq!(harness.outbox.backlog().await.unwrap(), MailBacklog::default());
    }
    assert_eq!(harness.upkeep.write_refusal(), None);
}

pub(crate) async fn an_unblocked_erasure_leaves_nothing_to_finish(harness: &Harness) {
    assert!(harness.upkeep.finish_erasures().await.unwrap());
    harness.store_user(&user(1)).await;
    assert!(commit!(harness, erasures().erase(user_id(1), Erasure { id: erasure_id(1), at: now() })));
    assert!(harness.upkeep.finish_erasures().await.unwrap());
    assert!(harness.upkeep.empty_log().await.unwrap());
}
