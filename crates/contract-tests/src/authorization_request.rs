//! Pending authorization requests.

use crate::Harness;
use crate::fixture::{client, hash, now, request, request_id, seconds, secret, user_id};
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Stores people 1 and 2, client 1, and its requests.
async fn prepare(harness: &Harness, requests: &[AuthorizationRequest]) {
    harness.store_users([1, 2]).await;
    harness.store_client(&client(1), &secret(1)).await;
    let mut unit = harness.begin().await;
    for request in requests {
        unit.authorization_requests().insert(request).await.unwrap();
    }
    unit.commit().await.unwrap();
}

async fn find(harness: &Harness, number: u64) -> Option<AuthorizationRequest> {
    harness.begin().await.authorization_requests().find(request_id(number)).await.unwrap()
}

/// Decides request 1 in a task with a separate unit of work, which commits.
fn decide_in_a_task(harness: &Harness) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move { commit!(harness, authorization_requests().decide(request_id(1), seconds(1))) })
}

/// Assigns request 1 to a person in a task with a separate unit of work, which commits.
fn assign_in_a_task(harness: &Harness, user: u64) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(
        async move { commit!(harness, authorization_requests().assign(request_id(1), user_id(user))) },
    )
}

fn decided() -> RequestState {
    RequestState::Decided { at: seconds(1) }
}

pub(crate) async fn a_request_reads_back_as_stored(harness: &Harness) {
    let bare = AuthorizationRequest {
        scopes: ScopeSet::EMPTY,
        resource: Resource::Mcp,
        state: None,
        challenge: None,
        force_consent: false,
        user_id: Some(user_id(2)),
        decision: decided(),
        ..request(2)
    };
    let empty_state = AuthorizationRequest { state: Some(String::new()), ..request(3) };
    let requests = [request(1), bare, empty_state];
    prepare(harness, &requests).await;
    for (number, request) in (1..).zip(requests) {
        assert_eq!(find(harness, number).await, Some(request));
    }
}

pub(crate) async fn an_unknown_request_is_absent_and_neither_assigned_nor_decided(harness: &Harness) {
    prepare(harness, &[request(1)]).await;
    assert_eq!(find(harness, 2).await, None);
    let mut unit = harness.begin().await;
    assert!(!unit.authorization_requests().assign(request_id(2), user_id(1)).await.unwrap());
    assert!(!unit.authorization_requests().decide(request_id(2), now()).await.unwrap());
}

pub(crate) async fn a_request_is_assigned_to_the_first_person_only(harness: &Harness) {
    prepare(harness, &[request(1), request(2)]).await;
    let mut unit = harness.begin().await;
    assert!(unit.authorization_requests().assign(request_id(1), user_id(2)).await.unwrap());
    for user in [1, 2] {
        assert!(!unit.authorization_requests().assign(request_id(1), user_id(user)).await.unwrap());
    }
    unit.commit().await.unwrap();
    let given = AuthorizationRequest { user_id: Some(user_id(2)), ..request(1) };
    assert_eq!(find(harness, 1).await, Some(given));
    assert_eq!(find(harness, 2).await, Some(request(2)));
}

pub(crate) async fn exactly_one_of_several_people_gets_a_request(harness: &Harness) {
    prepare(harness, &[request(1)]).await;
    let tasks: Vec<_> = (0..30).map(|task| assign_in_a_task(harness, 1 + task % 2)).collect();
    let mut winners = Vec::new();
    for (number, task) in (0..).zip(tasks) {
        if task.await.unwrap() {
            winners.push(user_id(1 + number % 2));
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(find(harness, 1).await.unwrap().user_id, Some(winners[0]));
}

pub(crate) async fn a_request_is_decided_once(harness: &Harness) {
    prepare(harness, &[request(1), request(2)]).await;
    let mut unit = harness.begin().await;
    assert!(unit.authorization_requests().decide(request_id(1), seconds(1)).await.unwrap());
    assert!(!unit.authorization_requests().decide(request_id(1), seconds(2)).await.unwrap());
    unit.commit().await.unwrap();
    let mut unit = harness.begin().await;
    assert!(!unit.authorization_requests().decide(request_id(1), seconds(3)).await.unwrap());
    unit.rollback().await.unwrap();
    assert_eq!(find(harness, 1).await, Some(AuthorizationRequest { decision: decided(), ..request(1) }));
    assert_eq!(find(harness, 2).await, Some(request(2)));
}

pub(crate) async fn exactly_one_of_fifty_concurrent_tasks_decides_a_request(harness: &Harness) {
    prepare(harness, &[request(1)]).await;
    let tasks: Vec<_> = (0..50).map(|_| decide_in_a_task(harness)).collect();
    let mut won = 0;
    for task in tasks {
        won += u32::from(task.await.unwrap());
    }
    assert_eq!(won, 1);
    assert_eq!(find(harness, 1).await.unwrap().decision, decided());
}

/// Rolls back after 50 ms, because no event shows that the other task waits.
pub(crate) async fn a_rolled_back_decision_leaves_the_request_open_to_the_next(harness: &Harness) {
    prepare(harness, &[request(1)]).await;
    let mut unit = harness.begin().await;
    assert!(unit.authorization_requests().decide(request_id(1), now()).await.unwrap());
    let next = decide_in_a_task(harness);
    tokio::time::sleep(Duration::from_millis(50)).await;
    unit.rollback().await.unwrap();
    assert!(next.await.unwrap());
    assert_eq!(find(harness, 1).await.unwrap().decision, decided());
}

/// Commits after 150 ms, because no event shows that the other tasks do not finish.
pub(crate) async fn a_request_that_was_found_stays_until_the_unit_of_work_ends(harness: &Harness) {
    prepare(harness, &[request(1)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.authorization_requests().find(request_id(1)).await.unwrap(), Some(request(1)));
    let (decision, assignment) = (decide_in_a_task(harness), assign_in_a_task(harness, 2));
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!decision.is_finished() && !assignment.is_finished());
    assert!(unit.authorization_requests().assign(request_id(1), user_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    assert!(decision.await.unwrap());
    assert!(!assignment.await.unwrap());
    let expected = AuthorizationRequest { user_id: Some(user_id(1)), decision: decided(), ..request(1) };
    assert_eq!(find(harness, 1).await, Some(expected));
}

pub(crate) async fn older_requests_are_deleted_up_to_the_limit(harness: &Harness) {
    let at = |number: u64, second| AuthorizationRequest { created_at: seconds(second), ..request(number) };
    let decided = AuthorizationRequest { decision: decided(), user_id: Some(user_id(1)), ..at(2, 2) };
    prepare(harness, &[at(1, 1), decided, at(3, 3), at(4, 4), at(5, 5)]).await;
    let mut unit = harness.begin().await;
    // Requests created at the cutoff stay.
    assert_eq!(unit.authorization_requests().delete_older(seconds(1), 10).await.unwrap(), 0);
    assert_eq!(unit.authorization_requests().delete_older(seconds(4), 2).await.unwrap(), 2);
    assert_eq!(unit.authorization_requests().delete_older(seconds(4), 2).await.unwrap(), 1);
    assert_eq!(unit.authorization_requests().delete_older(seconds(4), 2).await.unwrap(), 0);
    for (number, is_there) in [(1, false), (2, false), (3, false), (4, true), (5, true)] {
        let found = unit.authorization_requests().find(request_id(number)).await.unwrap();
        assert_eq!(found.map(|request| request.visit_hash), is_there.then(|| hash(100 + number)));
    }
}

pub(crate) async fn a_persons_oldest_requests_go_beyond_the_number_to_keep(harness: &Harness) {
    let of = |number: u64, user: Option<u64>, second| AuthorizationRequest {
        created_at: seconds(second),
        user_id: user.map(user_id),
        ..request(number)
    };
    let decided = AuthorizationRequest { decision: decided(), ..of(1, Some(1), 1) };
    prepare(harness, &[decided, of(2, Some(1), 3), of(3, Some(1), 2), of(4, None, 0), of(5, Some(2), 0)])
        .await;
    let steps: [(usize, u64, &[u64]); 3] = [(3, 0, &[1, 2, 3, 4, 5]), (2, 1, &[2, 3, 4, 5]), (0, 2, &[4, 5])];
    for (keep, expected, left) in steps {
        assert_eq!(commit!(harness, authorization_requests().delete_excess(user_id(1), keep)), expected);
        for number in 1..=5 {
            assert_eq!(
                find(harness, number).await.is_some(),
                left.contains(&number),
                "{number}, keep {keep}"
            );
        }
    }
}
