//! Access tokens: accepted only if signed by the ring's key, unexpired, and with every required claim once.
//!
//! The input is a JSON header and, after a line break, a JSON body, both signed with the ring's key. Key id
//! and time are fixed. An input without a line break is used as the token.
#![no_main]

use application::ports::system::{InvalidToken, KeyRing as _, TokenSigner as _, TokenVerifier as _};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::KeyId;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;
use system_adapter::test_support::TokenForge;
use system_adapter::{Ed25519KeyRing, EncryptionKey, TokenParties};
use uuid::Uuid;

const ISSUER: &str = "https://rest.example";
const AUDIENCE: &str = "https://rest.example/api";
const KEY_ID: &str = "00000000-0000-0000-0000-00000000000a";
/// 8 March 2026, 12:00 UTC.
const NOW: i64 = 1_772_971_200;

struct Rings {
    ring: Ed25519KeyRing,
    forge: TokenForge,
    /// Signs with a key of the same id.
    impostor: TokenForge,
}

static RINGS: LazyLock<Rings> = LazyLock::new(|| {
    let parties = || TokenParties { issuer: ISSUER.to_owned(), audience: AUDIENCE.to_owned() };
    let encryption_key = EncryptionKey::generate();
    let ring = Ed25519KeyRing::new(encryption_key.clone(), parties());
    let make = || ring.create_key(KeyId::from_uuid(Uuid::parse_str(KEY_ID).unwrap()), now()).unwrap();
    let (key, other) = (make(), make());
    ring.load(std::slice::from_ref(&key)).unwrap();
    let forge = |key| TokenForge::new(&encryption_key, key, parties());
    let (forge, impostor) = (forge(&key), forge(&other));
    Rings { ring, forge, impostor }
});

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(NOW, 0).unwrap()
}

fuzz_target!(|text: &str| {
    let rings = &*RINGS;
    let verify = |token: &str, at| rings.ring.verify(token, at);
    assert_eq!(verify(text, now()), Err(InvalidToken), "not signed with the key of the server");
    let Some((header, body)) = text.split_once('\n') else { return };
    let token = rings.forge.sign_text(header, body);
    let Ok(claims) = verify(&token, now()) else { return };

    assert_says(header, body, &claims);
    assert_eq!(verify(&token, now()), Ok(claims), "also from the cache");
    assert_eq!(verify(&token, claims.expires_at + TimeDelta::seconds(5)), Err(InvalidToken));
    assert_eq!(verify(&token, claims.issued_at - TimeDelta::seconds(6)), Err(InvalidToken));
    assert_eq!(verify(&rings.impostor.sign_text(header, body), now()), Err(InvalidToken));
    assert_eq!(verify(&rings.ring.sign(&claims).unwrap(), now()), Ok(claims));
    let (message, signature) = token.rsplit_once('.').unwrap();
    let at = text.len() % token.len();
    let (before, after) = token.split_at(at);
    let flipped = if after.starts_with('A') { 'B' } else { 'A' };
    for altered in [
        format!("{before}{flipped}{}", &after[1..]),
        before.to_owned(),
        format!("{token}{flipped}"),
        format!("{token}="),
        format!(" {token}"),
        format!("{message}."),
        message.to_owned(),
        format!("{message}.{signature}.{signature}"),
    ] {
        assert_eq!(verify(&altered, now()), Err(InvalidToken), "{altered}");
    }
});

/// Ids are accepted in either case and written in lower case.
fn assert_names(written: &Value, id: &str) {
    assert!(written.as_str().unwrap().eq_ignore_ascii_case(id), "{written} is not {id}");
}

/// Parses the header and body independently and compares them with the claims.
fn assert_says(header: &str, body: &str, claims: &AccessClaims) {
    let header: Value = serde_json::from_str(header).unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(header["alg"], "EdDSA");
    assert_names(&header["kid"], KEY_ID);
    let kind = header["typ"].as_str().unwrap().to_ascii_lowercase();
    assert!(kind == "at+jwt" || kind == "application/at+jwt");
    assert!(header.get("crit").is_none());
    assert_eq!(body["iss"], ISSUER);
    assert!(body["aud"] == AUDIENCE || body["aud"].as_array().unwrap().contains(&Value::from(AUDIENCE)));
    let times = [claims.issued_at, claims.expires_at].map(|at| at.timestamp());
    assert_eq!([body["iat"].as_i64(), body["exp"].as_i64()], times.map(Some));
    let life = times[1] - times[0];
    assert!(0 < life && life <= 3_600 && times[0] <= NOW + 5 && times[1] > NOW - 5);
    assert!(body.get("nbf").is_none_or(|start| start.as_i64().unwrap() <= NOW + 5));
    assert_names(&body["jti"], &claims.id.to_string());
    assert_names(&body["client_id"], &claims.client_id.to_string());
    match claims.subject {
        TokenSubject::Person { user_id, grant_id } => {
            assert_names(&body["sub"], &user_id.to_string());
            assert_names(&body["gid"], &grant_id.to_string());
        }
        TokenSubject::Service => {
            assert_names(&body["sub"], &claims.client_id.to_string());
            assert!(body.get("gid").is_none());
        }
    }
    let written = claims.scopes.to_string();
    let mut scopes: Vec<_> = body["scope"].as_str().unwrap().split(' ').collect();
    scopes.sort_unstable();
    scopes.dedup();
    let mut reported: Vec<_> = written.split(' ').collect();
    reported.sort_unstable();
    assert_eq!(scopes, reported);
}
