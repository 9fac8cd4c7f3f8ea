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
    let units = units([unit]);
    let shown = clients(&units).approve(client_id(1), &draft().revision(&[])).await.unwrap();
    assert_eq!(shown, approved());
    let events = units.events().all();
    assert_eq!((events[0].kind, events[0].actor), (AuditKind::AppApproved, AuditActor::Operator));
}

#[tokio::test]
async fn an_approved_client_stays_as_it_is() {
    for client in [approved(), app()] {
        let mut unit = MockUnitOfWork::default();
        let (found, revision) = (client.clone(), client.revision(&[endpoint(true)]));
        unit.clients.expect_find().times(1).return_once(|_| Ok(Some(found)));
        unit.webhooks.expect_list().returning(|_| Ok(vec![endpoint(true)]));
        let units = units([unit]);
        assert_eq!(clients(&units).approve(client_id(1), &revision).await.unwrap(), client);
        assert_eq!(units.events().all(), []);
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
        let units = units([unit]);
        assert_eq!(clients(&units).approve(client_id(1), &revision).await.unwrap(), approved());
        assert_eq!(units.events().all()[0].kind, AuditKind::AppApproved);
    }
}
