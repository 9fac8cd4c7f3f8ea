//! T62 (retired key) and T70: keys that are added and retired while tokens are in use.

use super::*;
use crate::key_ring::Ed25519KeyRing;
use application::ports::system::KeyRing;
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn next_key(ring: &Ed25519KeyRing, number: u128, minutes: i64) -> SigningKey {
    ring.create_key(KeyId::from_uuid(Uuid::from_u128(number)), now() + TimeDelta::minutes(minutes)).unwrap()
}

fn retired(key: &SigningKey) -> SigningKey {
    SigningKey { state: SigningKeyState::Retired { at: now() }, ..key.clone() }
}

fn kid_of(token: &str) -> String {
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts(token).0).unwrap()).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

#[test]
fn t70_a_new_key_signs_at_once_and_the_old_one_verifies_until_it_is_retired() {
    let test = ring();
    let old = test.ring.sign(&claims()).unwrap();
    let key = next_key(&test.ring, 70, 1);
    test.ring.load(&[test.key.clone(), key.clone()]).unwrap();
    let new = test.ring.sign(&claims()).unwrap();
    assert_eq!(kid_of(&new), key.id.to_string());
    assert!(test.ring.verify(&old, now()).is_ok());
    assert!(test.ring.verify(&new, now()).is_ok());
    let shown: Vec<String> = test.ring.public_key_set().keys.into_iter().map(|key| key.kid).collect();
    assert_eq!(shown, [key.id.to_string(), test.key.id.to_string()]);

    test.ring.load(&[retired(&test.key), key.clone()]).unwrap();
    assert_eq!(test.ring.verify(&old, now()), REFUSED, "although it was remembered");
    assert!(test.ring.verify(&new, now()).is_ok());
    assert_eq!(test.ring.public_key_set().keys.len(), 1);
}

#[test]
fn t62_a_missing_or_retired_key_verifies_nothing() {
    let test = ring();
    let token = test.ring.sign(&claims()).unwrap();
    for keys in [vec![retired(&test.key)], vec![next_key(&test.ring, 62, 1)], Vec::new()] {
        test.ring.load(std::slice::from_ref(&test.key)).unwrap();
        assert!(test.ring.verify(&token, now()).is_ok());
        test.ring.load(&keys).unwrap();
        assert_eq!(test.ring.verify(&token, now()), REFUSED);
    }
}

#[test]
fn another_key_under_the_same_kid_does_not_inherit_what_was_verified() {
    let test = ring();
    let token = test.ring.sign(&claims()).unwrap();
    assert!(test.ring.verify(&token, now()).is_ok());
    let impostor = test.ring.create_key(test.key.id, test.key.created_at).unwrap();
    test.ring.load(&[impostor]).unwrap();
    assert_eq!(test.ring.verify(&token, now()), REFUSED);
}

#[test]
fn reloading_the_same_keys_keeps_the_cache() {
    let test = ring();
    let keys = [test.key.clone(), next_key(&test.ring, 71, 1)];
    test.ring.load(&keys).unwrap();
    let token = test.ring.sign(&claims()).unwrap();
    assert!(test.ring.verify(&token, now()).is_ok());
    test.ring.load(&[keys[1].clone(), keys[0].clone()]).unwrap();
    assert!(test.ring.live_keys().verified.contains(&token));
    test.ring.load(&[keys[1].clone(), retired(&keys[0])]).unwrap();
    assert!(!test.ring.live_keys().verified.contains(&token));
}

#[test]
fn two_replicas_agree_on_the_signing_key_and_accept_each_others_tokens() {
    let test = ring();
    let other = Ed25519KeyRing::new(test.encryption_key.clone(), parties());
    // Two keys created at the same time, listed in either order.
    let (a, b) = (next_key(&test.ring, 72, 0), next_key(&test.ring, 73, 0));
    test.ring.load(&[a.clone(), b.clone()]).unwrap();
    other.load(&[b, a]).unwrap();
    let (here, there) = (test.ring.sign(&claims()).unwrap(), other.sign(&claims()).unwrap());
    assert_eq!(kid_of(&here), kid_of(&there));
    assert!(other.verify(&here, now()).is_ok() && test.ring.verify(&there, now()).is_ok());
}

#[test]
fn once_a_key_is_retired_no_thread_has_its_tokens_accepted() {
    let test = ring();
    let key = next_key(&test.ring, 74, 1);
    let token = test.ring.sign(&claims()).unwrap();
    for _ in 0..50 {
        test.ring.load(std::slice::from_ref(&test.key)).unwrap();
        let is_retired = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let before = is_retired.load(Ordering::SeqCst);
                        let accepted = test.ring.verify(&token, now()).is_ok();
                        assert!(!(before && accepted));
                    }
                });
            }
            test.ring.load(&[retired(&test.key), key.clone()]).unwrap();
            is_retired.store(true, Ordering::SeqCst);
        });
        assert_eq!(test.ring.verify(&token, now()), REFUSED);
    }
}
