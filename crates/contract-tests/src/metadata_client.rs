//! Clients with a metadata document.

use crate::Harness;
use crate::fixture::{
    client, client_id, code, consent, grant, published, request, seconds, secret, user, user_id,
};
use crate::webhook::endpoint;
use domain::authorization_request::AuthorizationRequest;
use domain::client::{Client, ClientStatus};
use domain::code::AuthorizationCode;
use domain::grant::Grant;
use domain::webhook::WebhookEndpoint;

async fn store(harness: &Harness, client: &Client) {
    commit!(harness, clients().insert(client));
}

/// Deletes unused clients whose document expired before second 10; returns their number.
async fn delete(harness: &Harness, limit: u32) -> u64 {
    commit!(harness, clients().delete_unused(seconds(10), limit))
}

async fn remaining(harness: &Harness) -> Vec<u64> {
    let clients = harness.clients.list_clients(None, 200).await.unwrap();
    (1..=150).filter(|number| clients.iter().any(|client| client.id == client_id(*number))).collect()
}

pub(crate) async fn unused_clients_are_deleted_after_their_document_expired(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for number in 1..=5 {
        store(harness, &published(number, 9)).await;
    }
    harness.store_grants(&[Grant { client_id: client_id(1), user_id: user_id(1), ..grant(1) }]).await;
    harness.store_code(&AuthorizationCode { client_id: client_id(2), user_id: user_id(1), ..code(1) }).await;
    let mut unit = harness.begin().await;
    let asked = AuthorizationRequest { client_id: client_id(3), user_id: None, ..request(1) };
    unit.authorization_requests().insert(&asked).await.unwrap();
    unit.consents().remember(&consent(1, 4)).await.unwrap();
    unit.webhooks().insert(&WebhookEndpoint { client_id: client_id(5), ..endpoint(1) }).await.unwrap();
    unit.commit().await.unwrap();
    // More in use than fit into a page of the query.
    for number in 6..=110 {
        store(harness, &published(number, 9)).await;
        commit!(harness, consents().remember(&consent(1, number)));
    }
    for (number, second) in [(111, 9), (112, 9), (113, 10), (114, 11)] {
        store(harness, &published(number, second)).await;
    }
    assert_eq!((delete(harness, 1).await, delete(harness, 500).await, delete(harness, 500).await), (1, 1, 0));
    let kept: Vec<u64> = (1..=110).chain([113, 114]).collect();
    assert_eq!(remaining(harness).await, kept);
}

pub(crate) async fn a_disabled_or_registered_client_is_kept(harness: &Harness) {
    store(harness, &Client { status: ClientStatus::Disabled { at: seconds(1) }, ..published(1, 0) }).await;
    harness.store_client(&client(2), &secret(2)).await;
    assert_eq!(delete(harness, 500).await, 0);
    assert_eq!(remaining(harness).await, [1, 2]);
}
