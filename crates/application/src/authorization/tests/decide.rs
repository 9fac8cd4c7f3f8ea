//! Consents that lose a race or cannot be stored. The contract suite shows the others on each store.

use super::*;
use crate::authorization::{ConsentDecision, ConsentError};

const ALLOW: ConsentDecision<'static> =
    ConsentDecision::Allow { ticked: &["profile", "sleep"], remember: false };

/// A unit of work that finds user 1, with a session, this request, and its client.
fn with_request(request: AuthorizationRequest) -> MockUnitOfWork {
    let mut unit = with_person(Some(person()));
    unit.authorization_requests.expect_find().times(1).return_once(move |_| Ok(Some(request)));
    unit.clients.expect_find().times(1).return_once(move |_| Ok(Some(app())));
    unit
}

fn expect_decided(unit: &mut MockUnitOfWork, won: bool) {
    let decide = unit.authorization_requests.expect_decide().times(1);
    decide.withf(|id, at| *id == request_id() && *at == noon()).returning(move |_, _| Ok(won));
}

/// Returns the error of a consent, and asserts that nothing was stored.
async fn refusal(unit: MockUnitOfWork, is_opened: bool) -> ConsentError {
    let (service, effects) = World::new([unit]).service();
    let (person, visit) = (signed_in(30), visit());
    let error = if is_opened {
        service.open(&person, &visit, request_id()).await.unwrap_err()
    } else {
        service.decide(&person, &visit, request_id(), ALLOW).await.unwrap_err()
    };
    assert_eq!((effects.endings.committed(), effects.endings.rolled_back()), (0, 1));
    error
}

#[tokio::test]
async fn t29_a_request_is_decided_once() {
    let mut unit = with_request(request());
    expect_decided(&mut unit, false);
    assert!(matches!(refusal(unit, false).await, ConsentError::Gone));
}

#[tokio::test]
async fn only_one_of_two_pages_opened_concurrently_is_granted() {
    let mut unit = with_request(request());
    expect_remembered(&mut unit, Some(remembered("profile sleep")));
    expect_decided(&mut unit, false);
    assert!(matches!(refusal(unit, true).await, ConsentError::Gone));
}

#[tokio::test]
async fn t29_a_request_claimed_concurrently_by_another_person_is_theirs() {
    let mut unit = with_request(AuthorizationRequest { user_id: None, ..request() });
    unit.authorization_requests.expect_assign().times(1).returning(|_, _| Ok(false));
    assert!(matches!(refusal(unit, true).await, ConsentError::NotYours));
}

#[tokio::test]
async fn a_decision_that_cannot_be_stored_returns_no_code() {
    let mut unit = with_request(request());
    expect_decided(&mut unit, true);
    unit.consents.expect_forget().times(1).returning(|_, _| Ok(0));
    expect_insert(&mut unit, |_| Err(StorageError::Unavailable));
    assert!(matches!(refusal(unit, false).await, ConsentError::Storage(_)));
}
