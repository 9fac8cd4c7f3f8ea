//! T70: tokens that arrive before the key that another replica created.

use super::*;
use crate::test_support::TestKeyRing;
use crate::token::TokenParties;
use application::ports::storage::SigningKeyReader;
use application::ports::system::{KeyRing, TokenSigner, TokenVerifier};
use chrono::{TimeDelta, TimeZone};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::{ClientId, KeyId, TokenId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Mutex as StdMutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use uuid::Uuid;

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

fn parties() -> TokenParties {
    TokenParties { issuer: "https://rest.example".into(), audience: "https://rest.example/api".into() }
}

fn claims() -> AccessClaims {
    AccessClaims {
        id: TokenId::from_uuid(Uuid::from_u128(1)),
        subject: TokenSubject::Service,
        client_id: ClientId::from_uuid(Uuid::from_u128(4)),
        scopes: ScopeSet::EMPTY,
        audience: Resource::Api,
        issued_at: now(),
        expires_at: AccessClaims::end_from(now()),
    }
}

fn key_of(ring: &Ed25519KeyRing, number: u128) -> SigningKey {
    ring.create_key(KeyId::from_uuid(Uuid::from_u128(number)), now() + TimeDelta::minutes(1)).unwrap()
}

/// A fake store that counts its reads; `None` while it is down.
#[derive(Default)]
struct FakeKeyStore {
    held: StdMutex<Option<Vec<SigningKey>>>,
    asked: AtomicUsize,
}

impl FakeKeyStore {
    fn store(&self, keys: Option<Vec<SigningKey>>) {
        *self.held.lock().unwrap() = keys;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl SigningKeyReader for FakeKeyStore {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.held.lock().unwrap().clone().ok_or(StorageError::Unavailable)
    }
}

/// This replica with its first key loaded, and another that also has a second key.
struct Replicas {
    here: TestKeyRing,
    there: Ed25519KeyRing,
    second: SigningKey,
    keys: Arc<FakeKeyStore>,
    reload: Arc<SharedKeyReload>,
}

impl Replicas {
    fn new() -> Self {
        let here = TestKeyRing::new(parties(), now());
        let there = Ed25519KeyRing::new(here.encryption_key.clone(), parties());
        let second = key_of(&there, 70);
        there.load(&[here.key.clone(), second.clone()]).unwrap();
        let keys = Arc::new(FakeKeyStore::default());
        keys.store(Some(vec![here.key.clone()]));
        let reload = Arc::new(SharedKeyReload::new(here.ring.clone(), keys.clone()));
        Self { here, there, second, keys, reload }
    }

    fn store_second(&self) {
        self.keys.store(Some(vec![self.here.key.clone(), self.second.clone()]));
    }

    async fn reload_for(&self, token: &str) -> Result<bool, StorageError> {
        self.reload.reload_for(token, now()).await
    }

    /// A well-formed token of a key that no store has.
    fn junk(&self) -> String {
        let other = Ed25519KeyRing::new(self.here.encryption_key.clone(), parties());
        other
            .load(&[key_of(
                &other,
                application::ports::system::Entropy::uuid(&crate::SystemEntropy).as_u128(),
            )])
            .unwrap();
        other.sign(&claims()).unwrap()
    }
}

#[tokio::test]
async fn t70_a_token_signed_with_another_replicas_key_loads_that_key() {
    let replicas = Replicas::new();
    let token = replicas.there.sign(&claims()).unwrap();
    replicas.store_second();
    assert!(replicas.here.ring.verify(&token, now()).is_err());
    assert!(replicas.reload_for(&token).await.unwrap());
    assert_eq!(replicas.here.ring.verify(&token, now()), Ok(claims()));
    assert_eq!(replicas.keys.asked(), 1);
}

#[tokio::test]
async fn t70_invalid_tokens_do_not_prevent_loading_a_new_key() {
    let replicas = Replicas::new();
    assert!(!replicas.reload_for(&replicas.junk()).await.unwrap());
    replicas.store_second();
    let token = replicas.there.sign(&claims()).unwrap();
    let began_at = Instant::now();
    assert!(replicas.reload_for(&token).await.unwrap());
    // After one interval rather than at the end of a timeout; a busy machine is slower.
    assert!(began_at.elapsed() < MIN_RELOAD_INTERVAL * 20);
    assert_eq!(replicas.keys.asked(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_keys_reload_at_most_once_a_second() {
    let replicas = Arc::new(Replicas::new());
    for _ in 0..2 {
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let replicas = replicas.clone();
                tokio::spawn(async move { replicas.reload_for(&replicas.junk()).await })
            })
            .collect();
        for task in tasks {
            assert!(!task.await.unwrap().unwrap());
        }
    }
    assert!(replicas.keys.asked() <= 4, "{}", replicas.keys.asked());
}

#[tokio::test]
async fn requests_beyond_the_queue_are_rejected_as_busy_and_not_as_invalid() {
    let replicas = Replicas::new();
    let all = replicas.reload.places.try_acquire_many(u32::try_from(MAX_WAITING).unwrap()).unwrap();
    assert!(matches!(replicas.reload_for(&replicas.junk()).await, Err(StorageError::Unavailable)));
    drop(all);
    assert!(!replicas.reload_for(&replicas.junk()).await.unwrap());
}

#[tokio::test]
async fn a_failing_store_leaves_the_token_undecided() {
    let replicas = Replicas::new();
    replicas.keys.store(None);
    let token = replicas.there.sign(&claims()).unwrap();
    assert!(matches!(replicas.reload_for(&token).await, Err(StorageError::Unavailable)));
    replicas.store_second();
    assert!(replicas.reload_for(&token).await.unwrap());
}

#[tokio::test]
async fn undecryptable_keys_leave_the_token_undecided() {
    let replicas = Replicas::new();
    let foreign = Ed25519KeyRing::new(crate::EncryptionKey::generate(), parties());
    replicas.keys.store(Some(vec![key_of(&foreign, 71)]));
    let token = replicas.there.sign(&claims()).unwrap();
    assert!(matches!(replicas.reload_for(&token).await, Err(StorageError::Unavailable)));
}

#[tokio::test]
async fn a_token_that_no_key_can_make_valid_does_not_reach_the_store() {
    let replicas = Replicas::new();
    let unknown = replicas.there.sign(&claims()).unwrap();
    let late = now() + TimeDelta::hours(2);
    assert!(!replicas.reload.reload_for(&unknown, late).await.unwrap(), "expired");
    let elsewhere = TokenParties { audience: "https://other.example".into(), ..parties() };
    let elsewhere = TestKeyRing::new(elsewhere, now()).ring.sign(&claims()).unwrap();
    let (unsigned, _) = unknown.rsplit_once('.').unwrap();
    for text in [
        String::new(),
        "a.b.c".to_owned(),
        elsewhere,
        format!("{unsigned}."),
        format!("{unsigned}.AAAA"),
        format!("{unknown}.{unknown}"),
        "x".repeat(5_000),
    ] {
        assert!(!replicas.reload_for(&text).await.unwrap(), "{text}");
    }
    assert_eq!(replicas.keys.asked(), 0);
}

#[tokio::test]
async fn a_retired_key_is_not_fetched_again() {
    let replicas = Replicas::new();
    let token = replicas.here.ring.sign(&claims()).unwrap();
    let retired = SigningKey { state: SigningKeyState::Retired { at: now() }, ..replicas.here.key.clone() };
    replicas.keys.store(Some(vec![retired, replicas.second.clone()]));
    assert!(replicas.reload.run().await.unwrap());
    assert!(!replicas.reload_for(&token).await.unwrap());
    assert_eq!(replicas.keys.asked(), 1);
}

#[tokio::test]
async fn a_key_that_was_loaded_between_the_two_checks_needs_no_store() {
    let replicas = Replicas::new();
    let token = replicas.there.sign(&claims()).unwrap();
    assert!(replicas.here.ring.verify(&token, now()).is_err());
    replicas.store_second();
    assert!(replicas.reload.run().await.unwrap());
    assert!(replicas.reload_for(&token).await.unwrap());
    assert_eq!(replicas.keys.asked(), 1);
}
