use super::*;
use crate::test_support::TestKeyRing;
use application::ports::system::{SigningFailed, TokenSigner};
use chrono::TimeZone;
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::{ClientId, TokenId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::signing_key::SealedPrivateKey;
use serde_json::json;
use uuid::Uuid;

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

fn parties() -> TokenParties {
    TokenParties { issuer: "https://rest.example".into(), audience: "https://rest.example/api".into() }
}

fn kid(number: u128) -> KeyId {
    KeyId::from_uuid(Uuid::from_u128(number))
}

fn signs(ring: &Ed25519KeyRing) -> Result<String, SigningFailed> {
    ring.sign(&AccessClaims {
        id: TokenId::from_uuid(Uuid::from_u128(1)),
        subject: TokenSubject::Service,
        client_id: ClientId::from_uuid(Uuid::from_u128(4)),
        scopes: ScopeSet::EMPTY,
        audience: Resource::Api,
        issued_at: now(),
        expires_at: AccessClaims::end_from(now()),
    })
}

#[test]
fn a_ring_without_an_active_key_neither_signs_nor_publishes() {
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties());
    assert!(matches!(signs(&ring), Err(SigningFailed(None))));
    assert!(ring.public_key_set().keys.is_empty());
    let key = ring.create_key(kid(1), now()).unwrap();
    ring.load(&[SigningKey { state: SigningKeyState::Retired { at: now() }, ..key }]).unwrap();
    assert!(matches!(signs(&ring), Err(SigningFailed(None))));
}

#[test]
fn a_new_key_is_active_and_its_private_part_is_encrypted() {
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties());
    let key = ring.create_key(kid(1), now()).unwrap();
    assert_eq!((key.id, key.created_at, key.state), (kid(1), now(), SigningKeyState::Active));
    let sealed = key.private_key.as_bytes();
    assert!(!sealed.windows(32).any(|window| window == key.public_key), "PKCS#8 holds the public key too");
    assert_ne!(ring.create_key(kid(1), now()).unwrap().public_key, key.public_key);
}

#[test]
fn the_key_set_is_written_after_rfc_8037() {
    let test = TestKeyRing::new(parties(), now());
    let shown = serde_json::to_value(test.ring.public_key_set()).unwrap();
    let x = shown["keys"][0]["x"].as_str().unwrap().to_owned();
    assert_eq!(x.len(), 43);
    assert_eq!(
        shown,
        json!({ "keys": [{
            "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": test.key.id.to_string(), "x": x,
        }] })
    );
}

#[test]
fn private_keys_swapped_between_two_rows_do_not_open() {
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties());
    let (first, second) = (ring.create_key(kid(1), now()).unwrap(), ring.create_key(kid(2), now()).unwrap());
    let swapped = SigningKey { private_key: second.private_key.clone(), ..first.clone() };
    assert_eq!(ring.load(&[swapped]), Err(KeyRingError::CannotDecrypt(kid(1))));
    let renamed = SigningKey { id: kid(1), ..second };
    assert_eq!(ring.load(&[renamed]), Err(KeyRingError::CannotDecrypt(kid(1))));
}

#[test]
fn a_public_key_of_another_pair_is_damage() {
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties());
    let (first, second) = (ring.create_key(kid(1), now()).unwrap(), ring.create_key(kid(2), now()).unwrap());
    let mixed = SigningKey { public_key: second.public_key, ..first };
    assert_eq!(ring.load(&[mixed]), Err(KeyRingError::Damaged(kid(1))));
}

#[test]
fn a_duplicate_id_is_an_error() {
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties());
    let key = ring.create_key(kid(1), now()).unwrap();
    let retired = SigningKey { state: SigningKeyState::Retired { at: now() }, ..key.clone() };
    assert_eq!(ring.load(&[key, retired]), Err(KeyRingError::Damaged(kid(1))));
}

#[test]
fn either_all_keys_are_activated_or_none() {
    let test = TestKeyRing::new(parties(), now());
    let before = test.ring.public_key_set();
    let good = test.ring.create_key(kid(1), now()).unwrap();
    let mut bytes = good.private_key.as_bytes().to_vec();
    bytes[20] ^= 1;
    let bad = SigningKey { id: kid(2), private_key: SealedPrivateKey::new(bytes), ..good.clone() };
    assert_eq!(test.ring.load(&[good, bad]), Err(KeyRingError::CannotDecrypt(kid(2))));
    assert_eq!(test.ring.public_key_set(), before);
    assert!(signs(&test.ring).is_ok());
}

#[test]
fn another_encryption_key_is_named_as_the_cause_with_the_kid() {
    let key = Ed25519KeyRing::new(EncryptionKey::generate(), parties()).create_key(kid(1), now()).unwrap();
    let error = Ed25519KeyRing::new(EncryptionKey::generate(), parties()).load(&[key]).unwrap_err();
    assert_eq!(error, KeyRingError::CannotDecrypt(kid(1)));
    assert!(error.to_string().contains("keys.encryption_key"));
}

#[test]
fn a_retired_key_of_an_older_encryption_key_does_not_stop_the_others() {
    let old = Ed25519KeyRing::new(EncryptionKey::generate(), parties()).create_key(kid(1), now()).unwrap();
    let old = SigningKey { state: SigningKeyState::Retired { at: now() }, ..old };
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties());
    let new = ring.create_key(kid(2), now()).unwrap();
    assert_eq!(ring.load(&[old, new]), Ok(()));
    assert!(signs(&ring).is_ok());
}
