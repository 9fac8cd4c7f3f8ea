//! Endpoints that are created, tested, rotated and replayed.

use super::*;
use crate::ports::storage::MockFailureCounter;
use crate::testing::store;

/// Creates an endpoint of this client, which has these already.
async fn create(client: Option<Client>, others: &[&str], url: &str) -> Result<(), CreateWebhookError> {
    let other = |url: &&str| WebhookEndpoint { url: OutboundUrl::parse(url).unwrap(), ..endpoint() };
    let others: Vec<_> = others.iter().map(other).collect();
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(move |_| Ok(client.clone()));
    unit.webhooks.expect_list().withf(|id| *id == app().id).returning(move |_| Ok(others.clone()));
    unit.webhooks
        .expect_insert()
        .withf(|one| one.status == EndpointStatus::Unconfirmed && one.is_reviewed)
        .returning(|_| Ok(()));
    unit.webhooks
        .expect_queue()
        .withf(|key, _| key.kind == EventKind::EndpointChallenge)
        .returning(|_, _| Ok(()));
    let mut signer = MockWebhookSigner::new();
    signer.expect_seal().returning(|_, _| Ok(SealedWebhookSecret::new(vec![1])));
    let units = Arc::new(PreparedUnitsOfWork::new([unit]));
    let webhooks = managing(&units, MockWebhookReader::new(), signer);
    let url = OutboundUrl::parse(url).unwrap();
    if let Err(error) = webhooks.create_for_client(app().id, url, None).await {
        assert_eq!(units.endings().committed(), 0);
        assert_eq!(units.endings().rolled_back(), units.endings().opened());
        return Err(error);
    }
    assert_eq!(units.events().all()[0].kind, AuditKind::WebhookCreated);
    assert_eq!(units.endings().committed(), 1);
    Ok(())
}

#[tokio::test]
async fn an_app_gets_endpoints_up_to_the_limit_at_allowed_urls() {
    const URL: &str = "https://hooks.example/x";
    const OTHER: &str = "https://hooks.example/y";
    create(Some(app()), &[OTHER; MAX_ENDPOINTS - 1], URL).await.unwrap();
    let too_many = create(Some(app()), &[OTHER; MAX_ENDPOINTS], URL).await;
    assert!(matches!(too_many, Err(CreateWebhookError::Endpoint(WebhookError::TooMany))));
    let taken = create(Some(app()), &[OTHER, URL], URL).await;
    assert!(matches!(taken, Err(CreateWebhookError::Endpoint(WebhookError::UrlTaken))));
    assert!(matches!(create(None, &[], URL).await, Err(CreateWebhookError::NoClient)));
    assert!(matches!(create(Some(service()), &[], URL).await, Err(CreateWebhookError::ServiceClient)));
    for url in ["http://127.0.0.1/", "https://10.0.0.1/", "https://[fe80::1]/"] {
        let forbidden = create(Some(app()), &[], url).await;
        assert!(matches!(forbidden, Err(CreateWebhookError::Endpoint(WebhookError::Forbidden))), "{url}");
    }
}

/// Webhooks for the operator, who needs no app and is not counted.
fn managing(
    units: &Arc<PreparedUnitsOfWork>,
    reader: MockWebhookReader,
    signer: MockWebhookSigner,
) -> Webhooks {
    Webhooks {
        store: store(units),
        reader: Arc::new(reader),
        clients: Arc::new(MockClientReader::new()),
        failures: Arc::new(MockFailureCounter::new()),
        signer: Arc::new(signer),
        policy: OutboundPolicy::default(),
    }
}

fn manage(unit: MockUnitOfWork, reader: MockWebhookReader, signer: MockWebhookSigner) -> Webhooks {
    managing(&Arc::new(PreparedUnitsOfWork::new([unit])), reader, signer)
}

#[tokio::test]
async fn a_test_is_an_event_for_an_active_endpoint_and_a_challenge_for_others() {
    for (status, kind) in [
        (EndpointStatus::Active, EventKind::EndpointTest),
        (EndpointStatus::Unconfirmed, EventKind::EndpointChallenge),
    ] {
        let mut unit = MockUnitOfWork::default();
        unit.webhooks.expect_find().returning(move |_| Ok(Some(WebhookEndpoint { status, ..endpoint() })));
        unit.webhooks.expect_queue().times(1).withf(move |key, _| key.kind == kind).returning(|_, _| Ok(()));
        let manage = manage(unit, MockWebhookReader::new(), MockWebhookSigner::new());
        assert_eq!(manage.test(WebhookActor::Operator, endpoint().id).await.unwrap(), kind);
    }
}

#[tokio::test]
async fn a_rotation_keeps_the_previous_secret_and_needs_the_key() {
    let mut unit = MockUnitOfWork::default();
    unit.webhooks.expect_find().returning(|_| Ok(Some(endpoint())));
    unit.webhooks
        .expect_update()
        .times(1)
        .withf(|changed| changed.previous_secret.as_ref().is_some_and(|old| old.sealed == endpoint().secret))
        .returning(|_| Ok(true));
    let mut signer = MockWebhookSigner::new();
    signer.expect_seal().returning(|_, _| Ok(SealedWebhookSecret::new(vec![2])));
    manage(unit, MockWebhookReader::new(), signer).rotate_for_client(endpoint().id).await.unwrap();
    let mut unit = MockUnitOfWork::default();
    unit.webhooks.expect_find().returning(|_| Ok(Some(endpoint())));
    let mut signer = MockWebhookSigner::new();
    signer.expect_seal().returning(|_, _| Err(WebhookSignerError));
    let manage = manage(unit, MockWebhookReader::new(), signer);
    let refused = manage.rotate_for_client(endpoint().id).await;
    assert!(matches!(refused, Err(WebhookError::Signer(_))));
}

#[tokio::test]
async fn a_replay_starts_from_the_persons_earliest_delivery_in_the_period() {
    let delivery = |kind, announced_before, age: i64| Delivery {
        occurred_at: noon() - seconds(age + 1),
        id: Uuid::nil(),
        event: event(kind).key,
        number: 42,
        announced_before,
        at: noon() - seconds(age),
        milliseconds: 1,
        result: DeliveryResult::Status(200),
        next_attempt_at: None,
    };
    let mut webhooks = MockWebhookReader::new();
    webhooks.expect_list_deliveries().returning(move |_, _| {
        Ok(vec![
            delivery(EventKind::RecordsChanged, 30, 10),
            delivery(EventKind::RecordsChanged, 20, 20),
            delivery(EventKind::RecordsChanged, 10, 31),
            delivery(EventKind::EndpointTest, 0, 5),
        ])
    });
    let mut unit = MockUnitOfWork::default();
    unit.webhooks.expect_find().returning(|_| Ok(Some(endpoint())));
    let replay = unit.webhooks.expect_replay().times(1);
    replay
        .withf(|_, announced, occurred_at| (*announced, *occurred_at) == (20, noon() - seconds(21)))
        .returning(|_, _, _| Ok(()));
    let manage = manage(unit, webhooks, MockWebhookSigner::new());
    let people = manage.replay(WebhookActor::Operator, endpoint().id, seconds(30)).await;
    assert_eq!(people.unwrap(), 1);
}

#[tokio::test]
async fn an_unknown_endpoint_is_not_found() {
    let unknown = || {
        let mut unit = MockUnitOfWork::default();
        unit.webhooks.expect_find().returning(|_| Ok(None));
        let mut webhooks = MockWebhookReader::new();
        webhooks.expect_list_deliveries().returning(|_, _| Ok(Vec::new()));
        manage(unit, webhooks, MockWebhookSigner::new())
    };
    let (operator, id) = (WebhookActor::Operator, endpoint().id);
    assert!(matches!(unknown().test(operator, id).await, Err(WebhookError::NotFound)));
    assert!(matches!(unknown().rotate_for_client(id).await, Err(WebhookError::NotFound)));
    assert!(matches!(unknown().delete(operator, id).await, Err(WebhookError::NotFound)));
    let replayed = unknown().replay(operator, id, seconds(0)).await;
    assert!(matches!(replayed, Err(WebhookError::NotFound)));
}
