//! Responses to idempotent requests.

use crate::Harness;
use crate::fixture::{client, client_id, now, seconds, secret};
use application::ports::storage::{Claim, IdempotentRequest, StoredResponse};

async fn prepare(harness: &Harness) {
    for number in [1, 2] {
        harness.store_client(&client(number), &secret(number)).await;
    }
}

/// Returns a request of the first client.
fn request(key: u8, content: u8) -> IdempotentRequest {
    IdempotentRequest { client_id: client_id(1), key: [key; 32], content: [content; 32] }
}

fn answer(text: &str) -> StoredResponse {
    StoredResponse { status: 207, body: text.as_bytes().to_vec() }
}

/// Claims a key this many seconds after [`now`]; claims last a minute, responses an hour.
async fn claim(harness: &Harness, request: IdempotentRequest, at: i64) -> Claim {
    harness.idempotency.claim(request, seconds(at), seconds(at - 60), seconds(at - 3600)).await.unwrap()
}

async fn keep(harness: &Harness, request: IdempotentRequest, text: &str) {
    harness.idempotency.keep(request, &answer(text)).await.unwrap();
}

pub(crate) async fn a_key_is_claimed_once_and_busy_until_it_is_completed(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    assert_eq!(claim(harness, request(1, 1), 60).await, Claim::Busy);
    keep(harness, request(1, 1), "").await;
    assert_eq!(claim(harness, request(1, 1), 61).await, Claim::Completed(answer("")));
}

pub(crate) async fn a_response_is_repeated_for_the_same_request(harness: &Harness) {
    prepare(harness).await;
    for (key, status) in [(1, 200), (2, 999)] {
        assert_eq!(claim(harness, request(key, 1), 0).await, Claim::Acquired);
        let answer = StoredResponse { status, body: (0..=255).cycle().take(100_000).collect() };
        harness.idempotency.keep(request(key, 1), &answer).await.unwrap();
        for at in [0, 3600] {
            assert_eq!(claim(harness, request(key, 1), at).await, Claim::Completed(answer.clone()));
        }
    }
}

pub(crate) async fn a_key_identifies_one_request_of_one_client(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    assert_eq!(claim(harness, request(1, 2), 0).await, Claim::OtherContent);
    keep(harness, request(1, 1), "kept").await;
    assert_eq!(claim(harness, request(1, 2), 0).await, Claim::OtherContent);
    let others = IdempotentRequest { client_id: client_id(2), ..request(1, 2) };
    assert_eq!(claim(harness, others, 0).await, Claim::Acquired);
    assert_eq!(claim(harness, request(2, 1), 0).await, Claim::Acquired);
}

pub(crate) async fn a_released_key_is_free(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    harness.idempotency.release(request(1, 1)).await.unwrap();
    assert_eq!(claim(harness, request(1, 2), 0).await, Claim::Acquired);
    keep(harness, request(1, 2), "kept").await;
    // A stored response is not released.
    harness.idempotency.release(request(1, 2)).await.unwrap();
    assert_eq!(claim(harness, request(1, 2), 0).await, Claim::Completed(answer("kept")));
}

pub(crate) async fn an_abandoned_claim_is_free_and_a_response_stays(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    assert_eq!(claim(harness, request(1, 2), 60).await, Claim::OtherContent);
    assert_eq!(claim(harness, request(1, 2), 61).await, Claim::Acquired);
    assert_eq!(claim(harness, request(1, 2), 121).await, Claim::Busy);
    keep(harness, request(1, 2), "kept").await;
    assert_eq!(claim(harness, request(1, 2), 500).await, Claim::Completed(answer("kept")));
}

pub(crate) async fn a_renewed_claim_stays_with_its_holder_until_it_is_completed(harness: &Harness) {
    prepare(harness).await;
    let renew = async |of, at| harness.idempotency.renew(of, seconds(at)).await.unwrap();
    assert!(!renew(request(1, 1), 0).await);
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    assert!(!renew(request(1, 2), 50).await);
    assert!(renew(request(1, 1), 50).await);
    // The clock of another replica is behind.
    assert!(renew(request(1, 1), 20).await);
    assert_eq!(claim(harness, request(1, 1), 110).await, Claim::Busy);
    assert_eq!(claim(harness, request(1, 2), 111).await, Claim::Acquired);
    assert!(!renew(request(1, 1), 112).await);
    keep(harness, request(1, 2), "kept").await;
    assert!(!renew(request(1, 2), 113).await);
    assert_eq!(claim(harness, request(1, 2), 114).await, Claim::Completed(answer("kept")));
}

pub(crate) async fn an_answer_that_expired_is_free(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    keep(harness, request(1, 1), "kept").await;
    assert_eq!(claim(harness, request(1, 2), 3600).await, Claim::OtherContent);
    assert_eq!(claim(harness, request(1, 2), 3601).await, Claim::Acquired);
    assert_eq!(claim(harness, request(1, 2), 3602).await, Claim::Busy);
}

pub(crate) async fn a_late_response_is_not_stored_for_another_request(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(claim(harness, request(1, 1), 0).await, Claim::Acquired);
    assert_eq!(claim(harness, request(1, 2), 61).await, Claim::Acquired);
    keep(harness, request(1, 1), "late").await;
    harness.idempotency.release(request(1, 1)).await.unwrap();
    assert_eq!(claim(harness, request(1, 2), 62).await, Claim::Busy);
}

pub(crate) async fn exactly_one_of_several_claims_takes_the_key(harness: &Harness) {
    prepare(harness).await;
    // A free key, then an abandoned one.
    for at in [0, 61] {
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let harness = harness.clone();
                tokio::spawn(async move { claim(&harness, request(1, 1), at).await })
            })
            .collect();
        let mut taken = 0;
        for task in tasks {
            match task.await.unwrap() {
                Claim::Acquired => taken += 1,
                other => assert_eq!(other, Claim::Busy),
            }
        }
        assert_eq!(taken, 1);
    }
}

pub(crate) async fn answers_are_deleted_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    for (key, at) in [(1, 0), (2, 1), (3, 2), (4, 3)] {
        assert_eq!(claim(harness, request(key, 1), at).await, Claim::Acquired);
        keep(harness, request(key, 1), "kept").await;
    }
    let store = &harness.idempotency;
    assert_eq!(store.delete_before(now(), 9).await.unwrap(), 0);
    assert_eq!(store.delete_before(seconds(3), 2).await.unwrap(), 2);
    assert_eq!(claim(harness, request(3, 1), 4).await, Claim::Completed(answer("kept")));
    assert_eq!(store.delete_before(seconds(3), 2).await.unwrap(), 1);
    assert_eq!(claim(harness, request(1, 2), 4).await, Claim::Acquired);
    assert_eq!(claim(harness, request(4, 1), 4).await, Claim::Completed(answer("kept")));
}
