//! What an attempt allows the receiver, and how each response or missing response is judged.

use super::*;

/// The pause that the schedule has after the first failure, with its jitter.
fn is_scheduled(at: DateTime<Utc>) -> bool {
    (noon() + seconds(5)..=noon() + TimeDelta::milliseconds(5_500)).contains(&at)
}

/// Standard Webhooks, Request timeouts.
#[tokio::test]
async fn an_attempt_may_take_20_seconds() {
    for kind in [EventKind::RecordsChanged, EventKind::EndpointTest, EventKind::EndpointChallenge] {
        let seen = after(event(kind), responds(204, &[])).await;
        assert_eq!(seen.timeout, Some(Duration::from_secs(20)), "{kind:?}");
    }
}

/// Standard Webhooks, Delivery success and failure.
#[tokio::test]
async fn only_statuses_from_200_to_299_are_deliveries() {
    for (status, expected) in [
        (199, DeliveryOutcome::Postponed),
        (200, DeliveryOutcome::Delivered),
        (299, DeliveryOutcome::Delivered),
        (300, DeliveryOutcome::Postponed),
    ] {
        let seen = after(event(EventKind::RecordsChanged), responds(status, &[])).await;
        assert_eq!(seen.outcome, Some(expected), "{status}");
        assert_eq!(
            seen.settled == [Settlement::Announced],
            expected == DeliveryOutcome::Delivered,
            "{status}"
        );
        assert_eq!(seen.logged[0].result, DeliveryResult::Status(status));
    }
}

/// Standard Webhooks, Delivery success and failure.
#[tokio::test]
async fn an_overloaded_receiver_is_tried_again() {
    for status in [429, 502, 503, 504] {
        let seen = after(event(EventKind::RecordsChanged), responds(status, &[])).await;
        let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{status}: {:?}", seen.settled) };
        assert!(is_scheduled(at), "{status}: {at}");
        assert_eq!((seen.outcome, seen.updated), (Some(DeliveryOutcome::Postponed), vec![]), "{status}");
    }
}

/// Standard Webhooks, Deliverability.
#[tokio::test]
async fn retry_after_may_be_a_date() {
    // A date of HTTP has no milliseconds.
    let until = DateTime::from_timestamp(noon().timestamp() + 600, 0).unwrap();
    let http = |date: DateTime<Utc>| date.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    for status in [429, 502, 503, 504] {
        let answer = responds(status, &[("retry-after", &http(until))]);
        let seen = after(event(EventKind::RecordsChanged), answer).await;
        assert_eq!(seen.settled, [Settlement::Retry(until)], "{status}");
        assert_eq!(seen.logged[0].next_attempt_at, Some(until), "{status}");
    }
    let past = responds(503, &[("retry-after", &http(noon() - seconds(600)))]);
    let seen = after(event(EventKind::RecordsChanged), past).await;
    let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{:?}", seen.settled) };
    assert!(is_scheduled(at), "a date in the past: {at}");
}

#[tokio::test]
async fn a_delivery_that_panicked_is_a_failed_attempt_and_tried_again_on_schedule() {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let unit = unit(&endpoint(), &seen);
    let use_case = sends_nothing([unit], pending(event(EventKind::RecordsChanged)));
    let outcome = use_case.record_panic(event(EventKind::RecordsChanged).key).await.unwrap();
    drop(use_case);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{:?}", seen.settled) };
    assert!(is_scheduled(at), "{at}");
    let [logged] = &seen.logged[..] else { panic!("{:?}", seen.logged) };
    assert_eq!((logged.result, logged.next_attempt_at), (DeliveryResult::InternalError, Some(at)));
    assert_eq!((outcome, seen.updated), (DeliveryOutcome::Postponed, vec![]));
}

#[tokio::test]
async fn the_next_attempt_does_not_tell_how_an_unreviewed_endpoint_failed() {
    for (is_reviewed, latest) in [(false, seconds(20)), (true, seconds(0))] {
        for error in [OutboundError::TimedOut, OutboundError::Unreachable, OutboundError::Forbidden] {
            let endpoint = WebhookEndpoint { is_reviewed, ..endpoint() };
            let event = event(EventKind::RecordsChanged);
            let seen = deliver(endpoint, event, "profile sleep", ALL, move |_| Err(error)).await;
            let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{:?}", seen.settled) };
            assert!(is_scheduled(at - latest), "{error:?}: {at}");
            assert_eq!(seen.logged[0].next_attempt_at, Some(at), "{error:?}");
        }
    }
}

/// Standard Webhooks, SSRF.
#[tokio::test]
async fn a_receiver_whose_address_is_forbidden_by_now_is_tried_again() {
    let seen = after(event(EventKind::RecordsChanged), Err(OutboundError::Forbidden)).await;
    let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{:?}", seen.settled) };
    let [logged] = &seen.logged[..] else { panic!("{:?}", seen.logged) };
    assert_eq!((logged.result.to_name().as_str(), logged.next_attempt_at), ("forbidden", Some(at)));
    assert_eq!((seen.outcome, seen.updated), (Some(DeliveryOutcome::Postponed), vec![]));
}

#[tokio::test]
async fn an_event_of_an_endpoint_whose_secret_cannot_be_opened_is_a_failed_attempt() {
    let unopenable = SealedWebhookSecret::new(vec![UNOPENABLE]);
    let broken = WebhookEndpoint { secret: unopenable.clone(), ..endpoint() };
    let seen = deliver(broken, event(EventKind::EndpointTest), "", &[], |_| responds(200, &[])).await;
    assert_eq!((seen.outcome, seen.posted), (Some(DeliveryOutcome::Postponed), None));
    let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{:?}", seen.settled) };
    let [logged] = &seen.logged[..] else { panic!("{:?}", seen.logged) };
    assert_eq!((logged.result, logged.next_attempt_at), (DeliveryResult::NotSigned, Some(at)));
    // After a rotation, the new secret signs alone.
    let mut rotated = endpoint();
    rotated.previous_secret = Some(EndpointSecret { sealed: unopenable, expires_at: noon() + seconds(1) });
    let seen = deliver(rotated, event(EventKind::EndpointTest), "", &[], |_| responds(200, &[])).await;
    assert_eq!(seen.posted.unwrap().1[2].1, "v1,signed-1");
}

/// Standard Webhooks, Delivery success and failure.
#[tokio::test]
async fn redirects_errors_and_missing_responses_are_tried_again() {
    let failures = [responds(301, &[]), responds(400, &[]), responds(500, &[]), Err(OutboundError::TimedOut)];
    for (answer, took) in failures.into_iter().zip([0, 0, 0, 20]) {
        let seen = after(event(EventKind::RecordsChanged), answer).await;
        assert_eq!(seen.outcome, Some(DeliveryOutcome::Postponed));
        let [Settlement::Retry(at)] = seen.settled[..] else { panic!("{:?}", seen.settled) };
        assert!(is_scheduled(at - seconds(took)), "{at}");
        assert_eq!(seen.logged[0].next_attempt_at, Some(at));
    }
}

/// Standard Webhooks, Deliverability.
#[tokio::test]
async fn retry_after_lengthens_the_pause() {
    let seen = after(event(EventKind::RecordsChanged), responds(429, &[("retry-after", "600")])).await;
    assert_eq!(seen.settled, [Settlement::Retry(noon() + seconds(600))]);
}
