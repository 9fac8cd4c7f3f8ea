//! Clients and their secrets.

use crate::Harness;
use crate::client_form::clients;
use crate::fixture::{client, client_id, conflict, hash, microsecond, now, seconds, secret, secret_id};
use crate::service::Distinct;
use application::client::Clients;
use application::ports::storage::{ClientWithSecrets, UniqueKey};
use application::ports::system::{Clock, Entropy};
use application::store::AuditTrail;
use application::store::Store;
use chrono::{DateTime, Utc};
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientSecret, ClientStatus, Contact, MAX_LIVE_SECRETS,
    MetadataDocument, MetadataUrl, RedirectUri, Review, WebPage,
};
use domain::scope::{Scope, ScopeSet};
use domain::secret::SecretBytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use uuid::Uuid;

/// Returns a service client that differs from [`client`] in every field.
fn service(number: u64) -> Client {
    let long_uri = format!("https://app.example/{}?a=%5B%22x%22%5D&b=,", "p".repeat(1900));
    let uris = ["http://127.0.0.1:8080/cb", long_uri.as_str(), "https://xn--bcher-kva.example/"];
    Client {
        id: client_id(number),
        name: ClientName::parse("Größte \"App\" 🛌").unwrap(),
        kind: ClientKind::Service,
        redirect_uris: uris.into_iter().map(|uri| RedirectUri::parse(uri).unwrap()).collect(),
        pages: ClientPages {
            home: WebPage::parse("https://owl.example/").ok(),
            privacy_policy: WebPage::parse("https://owl.example/privacy?a=%20#b").ok(),
        },
        contact: Contact::parse("dev@owl.example").ok(),
        review: Review::BY_OPERATOR,
        scopes: Scope::ALL.into_iter().collect(),
        allow_query_secrets: false,
        require_pkce: true,
        status: ClientStatus::Disabled { at: seconds(3) },
        document: Some(MetadataDocument {
            url: MetadataUrl::parse("https://owl.example/client.json").unwrap(),
            fresh_until: seconds(8) + microsecond(),
        }),
        created_at: seconds(-7),
    }
}

pub(crate) async fn a_client_reads_back_as_stored(harness: &Harness) {
    let bare = Client { redirect_uris: vec![], scopes: ScopeSet::EMPTY, ..service(3) };
    for (number, client) in [(1, client(1)), (2, service(2)), (3, bare)] {
        let expiring = ClientSecret { expires_at: Some(seconds(9)), ..secret(number) };
        harness.store_client(&client, &expiring).await;
        let mut unit = harness.begin().await;
        assert_eq!(unit.clients().find(client.id).await.unwrap(), Some(client.clone()));
        assert_eq!(unit.clients().list_secrets(client.id).await.unwrap(), std::slice::from_ref(&expiring));
        let found = harness.clients.find_with_secrets(client.id).await.unwrap();
        assert_eq!(found, Some(ClientWithSecrets { client, secrets: vec![expiring] }));
    }
}

pub(crate) async fn a_public_app_reads_back_without_secrets(harness: &Harness) {
    let public = Client { kind: ClientKind::PublicApp, require_pkce: true, ..client(1) };
    let mut unit = harness.begin().await;
    unit.clients().insert(&public).await.unwrap();
    assert_eq!(unit.clients().find(client_id(1)).await.unwrap(), Some(public.clone()));
    unit.commit().await.unwrap();
    assert_eq!(harness.clients.list_clients(None, 10).await.unwrap(), std::slice::from_ref(&public));
    let found = harness.clients.find_with_secrets(client_id(1)).await.unwrap();
    assert_eq!(found, Some(ClientWithSecrets { client: public, secrets: vec![] }));
}

pub(crate) async fn an_unknown_client_is_absent(harness: &Harness) {
    assert_eq!(harness.clients.find_with_secrets(client_id(1)).await.unwrap(), None);
    let mut unit = harness.begin().await;
    assert_eq!(unit.clients().find(client_id(1)).await.unwrap(), None);
    assert_eq!(unit.clients().list_secrets(client_id(1)).await.unwrap(), []);
}

pub(crate) async fn a_taken_id_is_a_conflict_and_changes_nothing(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    let mut unit = harness.begin().await;
    assert_eq!(conflict(unit.clients().insert(&service(1)).await), UniqueKey::ClientId);
    assert_eq!(unit.clients().find(client_id(1)).await.unwrap(), Some(client(1)));
    assert_eq!(unit.clients().list_secrets(client_id(1)).await.unwrap(), [secret(1)]);
}

pub(crate) async fn an_update_overwrites_everything_but_the_secrets(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    for changed in [service(1), client(1)] {
        assert!(commit!(harness, clients().update(&changed)));
        let found = harness.clients.find_with_secrets(client_id(1)).await.unwrap().unwrap();
        assert_eq!(found, ClientWithSecrets { client: changed, secrets: vec![secret(1)] });
    }
}

pub(crate) async fn updating_an_unknown_client_is_reported(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert!(!unit.clients().update(&client(1)).await.unwrap());
    assert_eq!(unit.clients().find(client_id(1)).await.unwrap(), None);
}

pub(crate) async fn clients_are_listed_by_ascending_id_in_pages(harness: &Harness) {
    for number in [2, 3, 1] {
        harness.store_client(&client(number), &secret(number)).await;
    }
    let clients = &harness.clients;
    assert_eq!(clients.list_clients(None, 2).await.unwrap(), [client(1), client(2)]);
    assert_eq!(clients.list_clients(Some(client_id(2)), 2).await.unwrap(), [client(3)]);
    assert_eq!(clients.list_clients(Some(client_id(3)), 2).await.unwrap(), []);
}

pub(crate) async fn secrets_are_listed_oldest_first(harness: &Harness) {
    harness.store_client(&client(1), &secret(5)).await;
    harness.store_client(&client(2), &secret(9)).await;
    let older = ClientSecret { created_at: seconds(-10), ..secret(7) };
    let younger = ClientSecret { created_at: seconds(10), ..secret(6) };
    let mut unit = harness.begin().await;
    unit.clients().insert_secret(client_id(1), &younger).await.unwrap();
    unit.clients().insert_secret(client_id(1), &older).await.unwrap();
    let expected = [older, secret(5), younger];
    assert_eq!(unit.clients().list_secrets(client_id(1)).await.unwrap(), expected);
    unit.commit().await.unwrap();
    let found = harness.clients.find_with_secrets(client_id(1)).await.unwrap().unwrap();
    assert_eq!(found.secrets, expected);
}

pub(crate) async fn an_expired_secret_keeps_its_end(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    assert!(commit!(harness, clients().expire_secret(client_id(1), secret_id(1), now())));
    let found = harness.clients.find_with_secrets(client_id(1)).await.unwrap().unwrap();
    let expired = ClientSecret { expires_at: Some(now()), ..secret(1) };
    assert_eq!(found.secrets, [expired]);
    assert_eq!(found.secrets[0].hash, hash(1));
}

pub(crate) async fn only_the_clients_own_secret_can_be_expired(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    harness.store_client(&client(2), &secret(2)).await;
    let mut unit = harness.begin().await;
    assert!(!unit.clients().expire_secret(client_id(1), secret_id(2), now()).await.unwrap());
    assert!(!unit.clients().expire_secret(client_id(3), secret_id(1), now()).await.unwrap());
    assert_eq!(unit.clients().list_secrets(client_id(2)).await.unwrap(), [secret(2)]);
}

/// Changes one field of the first client 5 ms after reading it, so that concurrent changes overlap.
async fn change(harness: Harness, change: fn(&mut Client)) {
    let mut unit = harness.begin().await;
    let mut client = unit.clients().find(client_id(1)).await.unwrap().unwrap();
    change(&mut client);
    // Without a lock, a concurrent change would write back the old values.
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(unit.clients().update(&client).await.unwrap());
    unit.commit().await.unwrap();
}

pub(crate) async fn racing_changes_of_different_values_are_all_kept(harness: &Harness) {
    const CHANGES: [fn(&mut Client); 6] = [
        |client| client.status = service(1).status,
        |client| client.name = service(1).name,
        |client| client.redirect_uris = service(1).redirect_uris,
        |client| client.scopes = service(1).scopes,
        |client| client.allow_query_secrets = service(1).allow_query_secrets,
        |client| client.require_pkce = service(1).require_pkce,
    ];
    harness.store_client(&client(1), &secret(1)).await;
    let tasks = CHANGES.map(|own| tokio::spawn(change(harness.clone(), own)));
    for task in tasks {
        task.await.unwrap();
    }
    let mut expected = client(1);
    for change in CHANGES {
        change(&mut expected);
    }
    let found = harness.clients.find_with_secrets(client_id(1)).await.unwrap().unwrap();
    assert_eq!(found.client, expected);
}

/// Clock that moves, and source of secrets that sleeps, so that units of work that do not lock overlap.
#[derive(Default)]
struct Slow(AtomicI32);

impl Clock for Slow {
    fn now(&self) -> DateTime<Utc> {
        now() + microsecond() * self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Entropy for Slow {
    fn secret_bytes(&self) -> SecretBytes {
        std::thread::sleep(Duration::from_millis(5));
        Distinct.secret_bytes()
    }

    fn uuid(&self) -> Uuid {
        Distinct.uuid()
    }
}

pub(crate) async fn racing_rotations_leave_two_live_secrets_at_most(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    let ports = Arc::new(Slow::default());
    let store =
        Store { units: harness.factory.clone(), trail: AuditTrail::new(ports.clone(), ports.clone()) };
    let clients = Arc::new(Clients { store, ..clients(harness) });
    let rotations: Vec<_> = (0..12)
        .map(|_| {
            let clients = clients.clone();
            tokio::spawn(async move { clients.rotate_secret(client_id(1), None).await.map(drop) })
        })
        .collect();
    for rotation in rotations {
        rotation.await.unwrap().unwrap();
    }
    let found = harness.clients.find_with_secrets(client_id(1)).await.unwrap().unwrap();
    assert_eq!(found.secrets.len(), 13);
    let live = found.secrets.iter().filter(|secret| secret.is_live(ports.now())).count();
    assert_eq!(live, MAX_LIVE_SECRETS);
}
