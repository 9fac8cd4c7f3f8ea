//! Approval by the operator.

use super::*;

#[tokio::test]
async fn an_approval_opens_a_draft_to_everyone_and_clears_the_list_of_its_users() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).return_once(|_| Ok(Some(draft())));
    unit.clients.expect_update().times(1).withf(|client| *client == approved()).returning(|_| Ok(true));
    unit.draft_users.expect_clear().times(1).withf(|id| *id == client_id(1)).returning(|_| Ok(()));
    let prepared = TestStore::new([unit]);
    let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
    assert_eq!(approve.run(client_id(1), Some(&draft().revision())).await.unwrap(), approved());
    let events = prepared.events.all();
    assert_eq!((events[0].kind, events[0].actor), (AuditKind::AppApproved, AuditActor::Operator));
}

#[tokio::test]
async fn an_approved_client_stays_as_it_is_and_an_unknown_one_is_reported() {
    for client in [Some(approved()), Some(app()), None] {
        let mut unit = MockUnitOfWork::default();
        let found = client.clone();
        unit.clients.expect_find().times(1).return_once(move |_| Ok(found));
        let prepared = TestStore::new([unit]);
        let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
        match (approve.run(client_id(1), None).await, client) {
            (Ok(shown), Some(client)) => assert_eq!(shown, client),
            (Err(ClientError::NotFound), None) => {}
            (outcome, _) => panic!("{outcome:?}"),
        }
        prepared.assert_nothing_stored();
    }
}

#[tokio::test]
async fn a_client_that_was_changed_after_the_review_is_not_approved() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).return_once(|_| Ok(Some(draft())));
    let prepared = TestStore::new([unit]);
    let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
    let reviewed = Client { name: ClientName::parse("Innocent").unwrap(), ..draft() };
    let outcome = approve.run(client_id(1), Some(&reviewed.revision())).await;
    assert!(matches!(outcome, Err(ClientError::ChangedSinceReview)), "{outcome:?}");
    prepared.assert_nothing_stored();
}
