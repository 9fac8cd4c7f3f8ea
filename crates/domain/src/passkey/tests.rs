//! The steps of sections 7.1 and 7.2 that are checked here, each with a response that fails only there.

mod cbor;
mod step;

use super::{Passkey, PasskeyKey, PasskeyName, RelyingParty, Transports};
use crate::id::{PasskeyId, UserId};
use chrono::DateTime;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

const ORIGIN: &str = "https://rest.example";
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const ELIGIBLE: u8 = 0x08;
const BACKED_UP: u8 = 0x10;
const CREDENTIAL: u8 = 0x40;
const EXTENSIONS: u8 = 0x80;

fn relying_party() -> RelyingParty {
    RelyingParty::from_public_url(&Url::parse(ORIGIN).unwrap()).unwrap()
}

/// Encodes the head of a CBOR item.
fn head(major: u8, argument: usize) -> Vec<u8> {
    let first = major << 5;
    match u16::try_from(argument).unwrap() {
        small @ 0..=23 => vec![first | u8::try_from(small).unwrap()],
        one @ 24..=255 => vec![first | 0x18, u8::try_from(one).unwrap()],
        two => [&[first | 0x19], two.to_be_bytes().as_slice()].concat(),
    }
}

fn bytes(value: &[u8]) -> Vec<u8> {
    [head(2, value.len()), value.to_vec()].concat()
}

fn text(value: &str) -> Vec<u8> {
    [head(3, value.len()), value.as_bytes().to_vec()].concat()
}

/// A key for ES256: kty 2, alg -7, crv 1, x, y.
fn es256() -> Vec<u8> {
    let (x, y) = (bytes(&[7; 32]), bytes(&[8; 32]));
    [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21], x.as_slice(), &[0x22], &y].concat()
}

/// A key for RS256: kty 3, alg -257, n, e.
fn rs256(n: &[u8], e: &[u8]) -> Vec<u8> {
    [&[0xa4, 1, 3, 3, 0x39, 1, 0, 0x20], bytes(n).as_slice(), &[0x21], &bytes(e)].concat()
}

/// A key for `EdDSA`: kty 1, alg -8, crv 6, x.
fn eddsa() -> Vec<u8> {
    [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21], bytes(&[9; 32]).as_slice()].concat()
}

fn authenticator_data(flags: u8, sign_count: u32, rest: &[u8]) -> Vec<u8> {
    let hash = Sha256::digest(b"rest.example");
    [hash.as_slice(), &[flags], &sign_count.to_be_bytes(), rest].concat()
}

fn attested(id: &[u8], key: &[u8]) -> Vec<u8> {
    let length = u16::try_from(id.len()).unwrap().to_be_bytes();
    [[0; 16].as_slice(), &length, id, key].concat()
}

fn attestation(format: &str, statement: &[u8], data: &[u8]) -> Vec<u8> {
    let pairs =
        [text("fmt"), text(format), text("attStmt"), statement.to_vec(), text("authData"), bytes(data)];
    [head(5, 3), pairs.concat()].concat()
}

/// The attestation object of a good registration.
fn good_attestation() -> Vec<u8> {
    attestation("none", &[0xa0], &good_new_data())
}

fn good_new_data() -> Vec<u8> {
    authenticator_data(PRESENT | VERIFIED | CREDENTIAL, 0, &attested(&[5; 32], &es256()))
}

fn passkey() -> Passkey {
    Passkey {
        id: PasskeyId::from_uuid(Uuid::nil()),
        user_id: UserId::from_uuid(Uuid::nil()),
        name: PasskeyName::parse("Phone").unwrap(),
        credential_id: super::CredentialId::new(vec![5; 32]).unwrap(),
        key: PasskeyKey::parse(&es256()).unwrap(),
        sign_count: 0,
        is_backup_eligible: false,
        is_backed_up: false,
        transports: Transports::default(),
        created_at: DateTime::UNIX_EPOCH,
        last_used_at: None,
    }
}
