//! Forged tokens, by the rows of the security catalogue (T60 to T66, T70).

mod form;
mod key_change;
mod statement;

use crate::test_support::TestKeyRing;
use crate::token::TokenParties;
use application::ports::system::{InvalidToken, TokenSigner, TokenVerifier};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::{ClientId, GrantId, TokenId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use serde_json::{Value, json};
use uuid::Uuid;

const REFUSED: Result<AccessClaims, InvalidToken> = Err(InvalidToken);

fn parties() -> TokenParties {
    TokenParties { issuer: "https://rest.example".into(), audience: "https://rest.example/api".into() }
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap()
}

fn ring() -> TestKeyRing {
    TestKeyRing::new(parties(), now())
}

fn claims() -> AccessClaims {
    AccessClaims {
        id: TokenId::from_uuid(Uuid::from_u128(1)),
        subject: TokenSubject::Person {
            user_id: UserId::from_uuid(Uuid::from_u128(2)),
            grant_id: GrantId::from_uuid(Uuid::from_u128(3)),
        },
        client_id: ClientId::from_uuid(Uuid::from_u128(4)),
        scopes: ScopeSet::CONSENTABLE,
        audience: Resource::Api,
        issued_at: now(),
        expires_at: AccessClaims::end_from(now()),
    }
}

fn service_claims() -> AccessClaims {
    AccessClaims { subject: TokenSubject::Service, ..claims() }
}

/// Splits a token into header, body and signature.
fn parts(token: &str) -> (String, String, String) {
    let mut parts = token.split('.').map(str::to_owned);
    (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap())
}

/// Returns whether a token with this member changed in its body or header is accepted.
fn with(
    test: &TestKeyRing,
    header: (&str, Value),
    body: (&str, Value),
) -> Result<AccessClaims, InvalidToken> {
    let (mut forged_header, mut forged_body) = (test.forge.header(), test.forge.body(&claims()));
    forged_header[header.0] = header.1;
    forged_body[body.0] = body.1;
    test.ring.verify(&test.forge.sign(&forged_header, &forged_body), now())
}

fn with_header(test: &TestKeyRing, name: &str, value: Value) -> Result<AccessClaims, InvalidToken> {
    with(test, (name, value), ("iss", json!(parties().issuer)))
}

fn with_claim(test: &TestKeyRing, name: &str, value: Value) -> Result<AccessClaims, InvalidToken> {
    with(test, ("typ", json!("at+jwt")), (name, value))
}

fn without_claim(test: &TestKeyRing, name: &str) -> Result<AccessClaims, InvalidToken> {
    let mut body = test.forge.body(&claims());
    assert!(body.as_object_mut().unwrap().remove(name).is_some());
    test.ring.verify(&test.forge.sign(&test.forge.header(), &body), now())
}

#[test]
fn a_signed_token_contains_the_given_claims() {
    let test = ring();
    let for_mcp = AccessClaims { audience: Resource::Mcp, ..claims() };
    for claims in [claims(), service_claims(), for_mcp] {
        let token = test.ring.sign(&claims).unwrap();
        assert_eq!(test.ring.verify(&token, now()), Ok(claims));
        assert_eq!(test.ring.verify(&token, now()), Ok(claims), "also when it is remembered");
        assert!(token.len() < 1_024, "{} bytes", token.len());
    }
}

// RFC 7519 section 4.1.3
#[test]
fn the_audience_is_the_first_of_our_resources_that_the_token_names() {
    let test = ring();
    let (api, mcp) = ("https://rest.example/api", "https://rest.example/api/mcp");
    for (claim, expected) in [
        (json!(api), Some(Resource::Api)),
        (json!(mcp), Some(Resource::Mcp)),
        (json!(["https://other.example", mcp]), Some(Resource::Mcp)),
        (json!([api, mcp]), Some(Resource::Api)),
        (json!([mcp, 1]), None),
        (json!([]), None),
        (json!(format!("{mcp}/")), None),
        (json!("https://rest.example/mcp"), None),
    ] {
        let found = with_claim(&test, "aud", claim.clone()).ok().map(|claims| claims.audience);
        assert_eq!(found, expected, "{claim}");
    }
}

#[test]
fn a_token_has_the_form_of_rfc_9068() {
    let test = ring();
    let (header, body, _) = parts(&test.ring.sign(&claims()).unwrap());
    let read =
        |part: &str| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap() };
    assert_eq!(read(&header), json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": test.key.id.to_string() }));
    assert_eq!(
        read(&body),
        json!({
            "iss": "https://rest.example",
            "aud": "https://rest.example/api",
            "sub": "00000000-0000-0000-0000-000000000002",
            "client_id": "00000000-0000-0000-0000-000000000004",
            "scope": "profile sleep supplements",
            "iat": 1_772_971_200,
            "exp": 1_772_974_800,
            "jti": "00000000-0000-0000-0000-000000000001",
            "gid": "00000000-0000-0000-0000-000000000003",
        })
    );
}

#[test]
fn a_service_token_names_the_client_as_its_subject_and_no_grant() {
    let test = ring();
    let body = test.forge.body(&service_claims());
    assert_eq!(body["sub"], body["client_id"]);
    assert!(body.get("gid").is_none());
}

#[test]
fn a_token_forged_from_valid_parts_is_accepted() {
    let test = ring();
    let token = test.forge.sign(&test.forge.header(), &test.forge.body(&claims()));
    assert_eq!(test.ring.verify(&token, now()), Ok(claims()));
}

#[test]
fn the_times_of_a_cached_token_are_still_checked() {
    let test = ring();
    let token = test.ring.sign(&claims()).unwrap();
    assert!(test.ring.verify(&token, now()).is_ok());
    assert!(test.ring.live_keys().verified.contains(&token));
    let end = claims().expires_at;
    assert_eq!(test.ring.verify(&token, now() - TimeDelta::seconds(6)), REFUSED);
    assert!(test.ring.verify(&token, end + TimeDelta::seconds(4)).is_ok());
    assert_eq!(test.ring.verify(&token, end + TimeDelta::seconds(5)), REFUSED);
    assert!(!test.ring.live_keys().verified.contains(&token), "past its end it is forgotten");
}

#[test]
fn a_rejected_token_is_not_cached() {
    let test = ring();
    let mut body = test.forge.body(&claims());
    body["aud"] = json!("https://elsewhere.example");
    let token = test.forge.sign(&test.forge.header(), &body);
    assert_eq!(test.ring.verify(&token, now()), REFUSED);
    assert!(!test.ring.live_keys().verified.contains(&token));
}

#[test]
fn a_ring_for_another_audience_rejects_the_tokens_of_this_one() {
    let test = ring();
    let token = test.ring.sign(&claims()).unwrap();
    let elsewhere = TokenParties { audience: "https://other.example".into(), ..parties() };
    let other = crate::Ed25519KeyRing::new(test.encryption_key.clone(), elsewhere);
    application::ports::system::KeyRing::load(&other, std::slice::from_ref(&test.key)).unwrap();
    assert!(test.ring.verify(&token, now()).is_ok());
    assert_eq!(other.verify(&token, now()), REFUSED);
}
