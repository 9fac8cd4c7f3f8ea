//! Approval by the operator.

use super::*;
use domain::webhook::WebhookEndpoint;

fn endpoint(is_reviewed: bool) -> WebhookEndpoint {
    WebhookEndpoint { is_reviewed, ..crate::testing::endpoint() }
}

#[tokio::test]
async fn an_approval_opens_a_draft_to_everyone_and_clears_the_list_of_its_users() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).return_once(|_| Ok(Some(draft())));
    unit.clients.expect_update().times(1).withf(|client| *client == approved()).returning(|_| Ok(true));
    unit.draft_users.expect_clear().times(1).withf(|id| *id == client_id(1)).returning(|_| Ok(()));
    unit.webhooks.expect_list().times(1).returning(|_| Ok(Vec::new()));
    let prepared = TestStore::new([unit]);
    let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
    assert_eq!(approve.run(client_id(1), &draft().revision(&[])).await.unwrap(), approved());
    let events = prepared.events.all();
    assert_eq!((events[0].kind, events[0].actor), (AuditKind::AppApproved, AuditActor::Operator));
}

#[tokio::test]
async fn an_approved_client_stays_as_it_is_and_an_unknown_one_is_reported() {
    for client in [Some(approved()), Some(app()), None] {
        let mut unit = MockUnitOfWork::default();
        let found = client.clone();
        unit.clients.expect_find().times(1).return_once(move |_| Ok(found));
        unit.webhooks.expect_list().returning(|_| Ok(vec![endpoint(true)]));
        let prepared = TestStore::new([unit]);
        let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
        let revision = client.as_ref().map(|client| client.revision(&[endpoint(true)])).unwrap_or_default();
        match (approve.run(client_id(1), &revision).await, client) {
            (Ok(shown), Some(client)) => assert_eq!(shown, client),
            (Err(ClientError::NotFound), None) => {}
            (outcome, _) => panic!("{outcome:?}"),
        }
        prepared.assert_nothing_stored();
    }
}

#[tokio::test]
async fn a_client_that_was_changed_after_the_review_is_not_approved() {
    let reviewed = Client { name: ClientName::parse("Innocent").unwrap(), ..draft() };
    for revision in [reviewed.revision(&[endpoint(false)]), draft().revision(&[])] {
        let mut unit = MockUnitOfWork::default();
        unit.clients.expect_find().times(1).return_once(|_| Ok(Some(draft())));
        unit.webhooks.expect_list().times(1).returning(|_| Ok(vec![endpoint(false)]));
        let prepared = TestStore::new([unit]);
        let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
        let outcome = approve.run(client_id(1), &revision).await;
        assert!(matches!(outcome, Err(ClientError::ChangedSinceReview)), "{outcome:?}");
        prepared.assert_nothing_stored();
    }
}

#[tokio::test]
async fn an_approval_also_approves_the_webhook_endpoints_that_were_reviewed() {
    for client in [draft(), approved()] {
        let mut unit = MockUnitOfWork::default();
        let revision = client.revision(&[endpoint(false)]);
        unit.clients.expect_find().times(1).return_once(|_| Ok(Some(client)));
        unit.clients.expect_update().times(1).returning(|_| Ok(true));
        unit.draft_users.expect_clear().times(1).returning(|_| Ok(()));
        unit.webhooks.expect_list().times(1).returning(|_| Ok(vec![endpoint(false)]));
        let is_reviewed = |changed: &WebhookEndpoint| *changed == endpoint(true);
        unit.webhooks.expect_update().times(1).withf(is_reviewed).returning(|_| Ok(true));
        let prepared = TestStore::new([unit]);
        let approve = ApproveClient::new(prepared.units.clone(), entropy(), clock());
        assert_eq!(approve.run(client_id(1), &revision).await.unwrap(), approved());
        assert_eq!(prepared.events.all()[0].kind, AuditKind::AppApproved);
    }
}
