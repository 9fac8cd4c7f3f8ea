//! Clients that people registered, and the people who can use them.

use crate::Harness;
use crate::fixture::{
    client, client_id, code, erasure_id, grant, grant_id, hash, now, seconds, secret, user_id,
};
use application::ports::storage::Erasure;
use domain::client::{Client, Contact, Review};
use domain::grant::Grant;
use domain::secret::SecretHash;

const LIMIT: u32 = 3;

fn draft(number: u64, owner: u64) -> Client {
    Client {
        contact: Contact::parse("https://owl.example/contact").ok(),
        ..crate::fixture::draft(number, owner)
    }
}

fn approved(number: u64, owner: u64) -> Client {
    let draft = draft(number, owner);
    Client { review: draft.review.approved(), ..draft }
}

/// Stores this many people, and these clients.
async fn prepare(harness: &Harness, people: u64, clients: &[Client]) {
    harness.store_users(1..=people).await;
    for (number, client) in (1..).zip(clients) {
        harness.store_client(client, &secret(number)).await;
    }
}

/// Admits a person to client 1 in a separate unit of work.
async fn admit(harness: &Harness, person: u64) -> bool {
    let mut unit = harness.begin().await;
    // As a decision about a consent does.
    unit.users().find(user_id(person)).await.unwrap();
    let admitted = unit.draft_users().admit(client_id(1), user_id(person), LIMIT, now()).await.unwrap();
    unit.commit().await.unwrap();
    admitted
}

async fn is_admitted(harness: &Harness, person: u64) -> bool {
    harness.begin().await.draft_users().is_admitted(client_id(1), user_id(person)).await.unwrap()
}

pub(crate) async fn own_clients_read_back_and_are_listed_oldest_first(harness: &Harness) {
    let later = Client { created_at: seconds(5), ..draft(1, 1) };
    prepare(harness, 2, &[later.clone(), approved(2, 1), draft(3, 2), client(4)]).await;
    assert_eq!(harness.clients.list_own_clients(user_id(1)).await.unwrap(), [approved(2, 1), later.clone()]);
    assert_eq!(harness.clients.list_own_clients(user_id(3)).await.unwrap(), []);
    let mut unit = harness.begin().await;
    assert_eq!(unit.clients().find(client_id(3)).await.unwrap(), Some(draft(3, 2)));
    let mut names = unit.clients().list_own_names(user_id(1)).await.unwrap();
    names.sort_unstable();
    assert_eq!(names, [later.name.as_str(), approved(2, 1).name.as_str()]);
    assert!(unit.clients().list_own_names(user_id(3)).await.unwrap().is_empty());
}

pub(crate) async fn a_draft_admits_people_up_to_the_limit_and_keeps_them(harness: &Harness) {
    prepare(harness, 5, &[draft(1, 1), draft(2, 1)]).await;
    for person in [2, 3, 4, 2] {
        assert!(admit(harness, person).await, "{person}");
    }
    assert!(!admit(harness, 5).await);
    assert!(admit(harness, 3).await);
    assert!(is_admitted(harness, 4).await && !is_admitted(harness, 5).await);
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), 3);
    assert_eq!(harness.clients.count_draft_users(client_id(2)).await.unwrap(), 0);
}

pub(crate) async fn a_draft_admits_exactly_the_limit_of_concurrent_people(harness: &Harness) {
    prepare(harness, 25, &[draft(1, 1)]).await;
    let tasks: Vec<_> = (2..=25)
        .map(|person| {
            let harness = harness.clone();
            tokio::spawn(async move { admit(&harness, person).await })
        })
        .collect();
    let mut admitted = 0;
    for task in tasks {
        admitted += u32::from(task.await.unwrap());
    }
    assert_eq!(admitted, LIMIT);
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), LIMIT);
}

pub(crate) async fn an_erased_person_and_a_cleared_list_make_room(harness: &Harness) {
    prepare(harness, 5, &[draft(1, 1)]).await;
    for person in [2, 3, 4] {
        assert!(admit(harness, person).await);
    }
    erase(harness, 3).await;
    assert!(admit(harness, 5).await);
    commit!(harness, draft_users().clear(client_id(1)));
    assert!(!is_admitted(harness, 2).await);
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), 0);
}

async fn erase(harness: &Harness, person: u64) {
    let mut unit = harness.begin().await;
    let erasure = Erasure { id: erasure_id(person), at: now() };
    assert!(unit.erasures().erase(user_id(person), erasure).await.unwrap());
    unit.commit().await.unwrap();
}

pub(crate) async fn a_draft_is_erased_with_its_owner_and_an_approved_client_loses_them(harness: &Harness) {
    prepare(harness, 2, &[draft(1, 1), approved(2, 1), draft(3, 2)]).await;
    assert!(admit(harness, 2).await);
    harness.store_grants(&[Grant { user_id: user_id(2), ..grant(1) }]).await;
    erase(harness, 1).await;
    let left = harness.clients.list_clients(None, 10).await.unwrap();
    let orphan = Client { contact: None, review: Review::BY_OPERATOR, ..approved(2, 1) };
    assert_eq!(left, [orphan, draft(3, 2)]);
    assert_eq!(find_grant(harness, &hash(1)).await, None);
    // The hash of the token is free again.
    let grant = Grant { client_id: client_id(2), user_id: user_id(2), ..grant(1) };
    harness.store_grants(&[grant]).await;
}

async fn find_grant(harness: &Harness, hash: &SecretHash) -> Option<Grant> {
    harness.grants.find_by_refresh_token(hash, None).await.unwrap().map(|found| found.grant)
}

pub(crate) async fn a_client_is_deleted_with_its_grants_and_codes(harness: &Harness) {
    prepare(harness, 2, &[draft(1, 1), client(2)]).await;
    assert!(admit(harness, 2).await);
    harness.store_code(&code(1)).await;
    let other = Grant { client_id: client_id(2), id: grant_id(2), ..grant(2) };
    harness.store_grants(&[grant(1), other.clone()]).await;
    let mut unit = harness.begin().await;
    assert!(unit.clients().delete(client_id(1)).await.unwrap());
    assert!(!unit.clients().delete(client_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(harness.clients.list_clients(None, 10).await.unwrap(), [client(2)]);
    assert_eq!(find_grant(harness, &hash(1)).await, None);
    assert_eq!(find_grant(harness, &hash(2)).await, Some(other));
    assert_eq!(harness.begin().await.codes().find(&hash(1)).await.unwrap(), None);
    harness.store_client(&client(1), &secret(1)).await;
    assert!(!is_admitted(harness, 2).await);
    harness.store_grants(&[grant(1)]).await;
}

pub(crate) async fn live_grants_of_a_client_are_counted_up_to_the_limit(harness: &Harness) {
    prepare(harness, 2, &[client(1), client(2)]).await;
    let of_other = Grant { user_id: user_id(2), ..grant(3) };
    let of_client_2 = Grant { client_id: client_id(2), ..grant(4) };
    harness.store_grants(&[grant(1), grant(2), of_other, of_client_2]).await;
    let count = async |limit| harness.grants.count_live_grants(client_id(1), limit).await.unwrap();
    assert_eq!((count(10).await, count(2).await), (3, 2));
    let excess = commit!(harness, grants().revoke_excess(client_id(1), user_id(1), 1, now()));
    assert_eq!((excess, count(10).await), (1, 2));
}
