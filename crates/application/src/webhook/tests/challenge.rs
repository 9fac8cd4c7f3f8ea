//! Challenges of endpoints that are not active.

use super::*;

#[tokio::test]
async fn the_right_challenge_activates_the_endpoint_and_a_wrong_one_does_not() {
    let unconfirmed = WebhookEndpoint { status: EndpointStatus::Unconfirmed, ..endpoint() };
    let returned = |json: &str| {
        let challenge = json.split("\"challenge\":\"").nth(1).unwrap().split('"').next().unwrap();
        Ok(OutboundResponse {
            status: 200,
            body: challenge.as_bytes().to_vec(),
            ..OutboundResponse::default()
        })
    };
    let challenge = event(EventKind::EndpointChallenge);
    let seen = deliver(unconfirmed.clone(), challenge, "", &[], returned).await;
    assert_eq!((seen.settled, seen.updated), (vec![Settlement::Announced], vec![EndpointStatus::Active]));
    let seen = deliver(unconfirmed.clone(), challenge, "", &[], |_| responds(200, &[])).await;
    assert_eq!(seen.logged[0].result, DeliveryResult::WrongChallenge);
    assert_eq!((seen.outcome, seen.updated), (Some(DeliveryOutcome::Postponed), vec![]));
    for (failed, status) in [(MAX_ATTEMPTS - 1, 500), (0, 410)] {
        let seen = deliver(unconfirmed.clone(), PendingEvent { failed, ..challenge }, "", &[], move |_| {
            responds(status, &[])
        })
        .await;
        assert_eq!((seen.settled, seen.updated), (vec![Settlement::Dropped], vec![]));
    }
}

#[tokio::test]
async fn an_endpoint_that_is_not_active_is_sent_challenges_only() {
    // Due events are not listed: the mock does not expect it.
    let use_case = sends_nothing([], pending(event(EventKind::EndpointChallenge)));
    for status in
        [EndpointStatus::Unconfirmed, EndpointStatus::Disabled { at: noon(), reason: DisableReason::Gone }]
    {
        let due = use_case.list_due(&[&WebhookEndpoint { status, ..endpoint() }], 9).await.unwrap();
        assert_eq!(due, [event(EventKind::EndpointChallenge).key]);
    }
}
