//! What a redemption, and one that is refused, leave in the audit trail.

use super::*;
use crate::audit::testing::{assert_events, event};
use domain::audit::{AuditActor, AuditEvent, AuditKind};

/// What the audit trail tells of the code made of fives.
async fn told(unit: MockUnitOfWork) -> RecordedEvents {
    let signer = Arc::new(RecordingSigner::default());
    run_and_tell(unit, signer, command(&app(), code_secret().expose())).await.2
}

/// An event about the app and its person.
fn about(actor: AuditActor, kind: AuditKind) -> AuditEvent {
    event(actor, kind).user(user_id(1)).client(client_id(1))
}

#[tokio::test]
async fn a_new_grant_is_in_the_audit_trail_under_its_id() {
    let mut unit = consuming();
    let stored = Arc::new(std::sync::Mutex::new(None));
    let noted = Arc::clone(&stored);
    unit.grants.expect_insert().times(1).returning(move |grant| {
        *noted.lock().unwrap() = Some(grant.id);
        Ok(())
    });
    unit.grants.expect_revoke_excess().returning(|_, _, _, _| Ok(0));
    let events = told(unit).await;
    let id = stored.lock().unwrap().unwrap();
    assert_events(
        &events,
        &[about(AuditActor::Client, AuditKind::GrantCreated).subject(id.as_uuid()).from(address())],
    );
}

#[tokio::test]
async fn grants_beyond_the_limit_are_told_as_revoked_by_the_server() {
    let mut unit = consuming();
    unit.grants.expect_insert().returning(|_| Ok(()));
    unit.grants.expect_revoke_excess().returning(|_, _, _, _| Ok(2));
    let events = told(unit).await.all();
    let kinds: Vec<_> = events.iter().map(|event| (event.actor, event.kind, event.count)).collect();
    let expected = [
        (AuditActor::Client, AuditKind::GrantCreated, None),
        (AuditActor::Server, AuditKind::GrantRevoked, Some(2)),
    ];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn t13_a_replay_is_in_the_audit_trail_also_when_nothing_was_left_to_revoke() {
    for revoked in [1, 0] {
        let mut unit = finding(Some(redeemed()));
        unit.grants.expect_revoke().times(1).returning(move |_, _, _| Ok(revoked));
        let replayed = about(AuditActor::Client, AuditKind::CodeReplayed).subject(grant_id(3).as_uuid());
        assert_events(&told(unit).await, &[replayed.count(revoked)]);
    }
}

#[tokio::test]
async fn a_code_that_is_refused_leaves_no_event() {
    let over = AuthorizationCode { expires_at: noon(), ..code() };
    for unit in [finding(None), finding(Some(over)), without_person(None, None)] {
        assert_events(&told(unit).await, &[]);
    }
}

#[tokio::test]
async fn a_store_that_fails_while_it_stores_the_grant_commits_nothing_and_tells_nothing() {
    let mut unit = consuming();
    unit.grants.expect_insert().times(1).returning(|_| Err(StorageError::Retryable));
    let signer = Arc::new(RecordingSigner::default());
    let (outcome, endings, events) =
        run_and_tell(unit, signer, command(&app(), code_secret().expose())).await;
    assert!(matches!(outcome, Err(RedeemCodeError::Storage(StorageError::Retryable))));
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
}
