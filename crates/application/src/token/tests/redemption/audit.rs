//! Audit events of redemptions.

use super::*;
use crate::audit::testing::{assert_events, event};
use domain::audit::{AuditActor, AuditEvent, AuditKind};

/// Returns the audit events of redeeming the test's code.
async fn events_of(unit: MockUnitOfWork) -> RecordedEvents {
    let signer = Arc::new(RecordingSigner::default());
    run_with_events(unit, signer, &app(), presented(code_secret().expose())).await.2
}

/// An event about the app and its user.
fn about(actor: AuditActor, kind: AuditKind) -> AuditEvent {
    event(actor, kind).user(user_id(1)).client(client_id(1))
}

#[tokio::test]
async fn a_new_grant_is_in_the_audit_trail_under_its_id() {
    let (unit, stored) = noting();
    // Stored together with the grant, and not a second time.
    assert_events(&events_of(unit).await, &[]);
    let (grant, created_event) = stored.lock().unwrap().clone().unwrap();
    let created = about(AuditActor::Client, AuditKind::GrantCreated).subject(grant.id.as_uuid());
    assert_eq!(created_event, AuditEvent { id: created_event.id, ..created.from(address()) });
}

#[tokio::test]
async fn grants_beyond_the_limit_are_recorded_as_revoked_by_the_server() {
    assert_events(
        &events_of(exceeding(2)).await,
        &[about(AuditActor::Server, AuditKind::GrantRevoked).count(2)],
    );
}

#[tokio::test]
async fn t13_a_replay_is_in_the_audit_trail_also_when_nothing_was_left_to_revoke() {
    for revoked in [1, 0] {
        let mut unit = finding(Some(redeemed()));
        expect_revoked_for_replay(&mut unit, revoked);
        let replayed = about(AuditActor::Client, AuditKind::CodeReplayed).subject(grant_id(3).as_uuid());
        assert_events(&events_of(unit).await, &[replayed.count(revoked)]);
    }
}

#[tokio::test]
async fn a_rejected_code_stores_no_event() {
    let over = AuthorizationCode { expires_at: noon(), ..code() };
    for unit in [finding(None), finding(Some(over)), of_locked_person(None)] {
        assert_events(&events_of(unit).await, &[]);
    }
}

#[tokio::test]
async fn a_grant_that_cannot_be_stored_commits_nothing_and_records_nothing() {
    let unit = redeemed_with(finding(Some(code())), |_, _| Err(StorageError::Retryable));
    let signer = Arc::new(RecordingSigner::default());
    let (outcome, endings, events) =
        run_with_events(unit, signer, &app(), presented(code_secret().expose())).await;
    assert!(matches!(outcome, Err(TokenError::Storage(StorageError::Retryable))));
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
}
