//! Forged access tokens. Those that need a signing key are tested in system-adapter.

use super::caller::{Caller, Form, Reply};
use crate::e2e::app::{Registration, SCOPES, code, register, text};
use crate::e2e::world::World;
use aws_lc_rs::hmac;
use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};

on_sqlite! {
    // T60, T61, T62
    async fn a_token_forged_without_the_key_is_invalid(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let good = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens().access;
        let key_set = caller.get("/.well-known/jwks.json", &Form(Vec::new())).await.body;
        let token = Token::parse(&good);
        let mut forgeries = unsigned(&token);
        forgeries.extend(signed_with_what_is_public(&token, &key_set));
        forgeries.extend(with_strange_key_ids(&token));
        for forgery in &forgeries {
            assert_refused(&caller, &registration, &format!("Bearer {forgery}")).await;
        }
        assert_eq!(caller.read_profile(&good, &registration).await.status, 200);
    }

    // T60
    async fn a_token_is_valid_in_one_spelling_only(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let good = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens().access;
        for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            assert_eq!(authorized(&caller, &registration, &format!("{scheme} {good}")).await.status, 200);
        }
        let (head, signature) = good.rsplit_once('.').expect("signature");
        let spellings = [
            format!("{good}="),
            format!("{good}."),
            format!(".{good}"),
            format!("{good}.{signature}"),
            format!("{head} {signature}"),
            format!("{head}.\t{signature}"),
            format!("\"{good}\""),
            format!("{good},{good}"),
            format!("{good} {good}"),
            good.to_lowercase(),
            good.replace('.', "%2E"),
            good.get(..good.len() - 1).expect("ASCII").to_owned(),
            "null".to_owned(),
            "..".to_owned(),
        ];
        for spelling in spellings {
            assert_refused(&caller, &registration, &format!("Bearer {spelling}")).await;
        }
        for other in [good.clone(), format!("Token {good}"), format!("Bearer{good}"), format!("Basic {good}")] {
            let reply = authorized(&caller, &registration, &other).await;
            reply.assert_problem(401, "missing_token");
        }
    }

    // T66
    async fn an_overlong_token_is_invalid_and_overlong_headers_are_rejected(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let good = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens().access;
        let mut token = Token::parse(&good);
        token.header["pad"] = "x".repeat(4096).into();
        assert_refused(&caller, &registration, &format!("Bearer {}", token.with_signature(&token.signature))).await;
        assert_refused(&caller, &registration, &format!("Bearer {}", "x".repeat(15 * 1024))).await;
        let reply = authorized(&caller, &registration, &format!("Bearer {}", "x".repeat(17 * 1024))).await;
        reply.assert_problem(431, "headers_too_large");
        let path = format!("/api/v1/profile/{}", registration.user_id);
        let many = (0..80).fold(caller.request(Method::GET, &path).bearer_auth(&good), |request, number| {
            request.header(format!("x-filler-{number}"), "y".repeat(220))
        });
        Reply::to(many).await.assert_problem(431, "headers_too_large");
        assert_eq!(caller.read_profile(&good, &registration).await.status, 200);
    }
}

async fn authorized(caller: &Caller, registration: &Registration, authorization: &str) -> Reply {
    let path = format!("/api/v1/profile/{}", registration.user_id);
    Reply::to(caller.request(Method::GET, &path).header(AUTHORIZATION, authorization)).await
}

async fn assert_refused(caller: &Caller, registration: &Registration, authorization: &str) {
    let reply = authorized(caller, registration, authorization).await;
    reply.assert_problem(401, "invalid_token");
    let challenge = reply.header("www-authenticate").expect("challenge");
    assert!(challenge.contains(r#"error="invalid_token""#), "{challenge}");
}

/// Parts of a token.
#[derive(Clone)]
struct Token {
    header: Value,
    claims: String,
    signature: String,
}

impl Token {
    fn parse(text: &str) -> Self {
        let parts: Vec<_> = text.split('.').collect();
        let [header, claims, signature] = parts[..] else { panic!("not three parts") };
        let header = URL_SAFE_NO_PAD.decode(header).expect("base64");
        Self {
            header: serde_json::from_slice(&header).expect("JSON"),
            claims: claims.to_owned(),
            signature: signature.to_owned(),
        }
    }

    fn with_header(&self, name: &str, value: Value) -> Self {
        let mut token = self.clone();
        token.header[name] = value;
        token
    }

    fn signed_part(&self) -> String {
        format!("{}.{}", URL_SAFE_NO_PAD.encode(self.header.to_string()), self.claims)
    }

    fn with_signature(&self, signature: &str) -> String {
        format!("{}.{signature}", self.signed_part())
    }

    fn with_hmac(&self, key: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        let tag = hmac::sign(&key, self.signed_part().as_bytes());
        self.with_signature(&URL_SAFE_NO_PAD.encode(tag))
    }
}

fn unsigned(token: &Token) -> Vec<String> {
    let mut forgeries = Vec::new();
    for algorithm in ["none", "None", "nOnE", "NONE", ""] {
        let token = token.with_header("alg", algorithm.into());
        forgeries.extend(["", "AA", &token.signature].map(|signature| token.with_signature(signature)));
        forgeries.push(token.signed_part());
    }
    forgeries.extend(["", "AA", "junk", &"A".repeat(86)].map(|signature| token.with_signature(signature)));
    forgeries.push(token.signed_part());
    // The signature of the valid token with other claims.
    let claims = URL_SAFE_NO_PAD.decode(&token.claims).expect("base64");
    let mut claims: Value = serde_json::from_slice(&claims).expect("JSON");
    claims["scope"] = "profile sleep supplements users:write".into();
    let altered = Token { claims: URL_SAFE_NO_PAD.encode(claims.to_string()), ..token.clone() };
    forgeries.push(altered.with_signature(&token.signature));
    forgeries
}

fn signed_with_what_is_public(token: &Token, key_set: &str) -> Vec<String> {
    let parsed: Value = serde_json::from_str(key_set).expect("JSON");
    let key = &parsed["keys"][0];
    let x = text(key, "x");
    let raw = URL_SAFE_NO_PAD.decode(&x).expect("base64");
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(&raw));
    let material =
        [key_set.as_bytes().to_vec(), key.to_string().into_bytes(), x.into_bytes(), raw, pem.into_bytes()];
    let mut forgeries = Vec::new();
    for material in &material {
        for algorithm in ["HS256", "EdDSA", "hs256"] {
            forgeries.push(token.with_header("alg", algorithm.into()).with_hmac(material));
        }
    }
    for algorithm in ["RS256", "ES256", "PS256", "HS512", "Ed448"] {
        forgeries.push(token.with_header("alg", algorithm.into()).with_signature(&token.signature));
    }
    forgeries.extend(signed_with_a_key_of_our_own(token));
    forgeries
}

/// Signs correctly with a key contained in the header.
fn signed_with_a_key_of_our_own(token: &Token) -> Vec<String> {
    let pair = Ed25519KeyPair::generate().expect("key");
    let x = URL_SAFE_NO_PAD.encode(aws_lc_rs::signature::KeyPair::public_key(&pair));
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": token.header["kid"], "alg": "EdDSA", "use": "sig"});
    let sign = |token: Token| {
        let signature = pair.sign(token.signed_part().as_bytes());
        token.with_signature(&URL_SAFE_NO_PAD.encode(signature))
    };
    vec![
        sign(token.clone()),
        sign(token.with_header("jwk", jwk)),
        sign(token.with_header("jku", "http://127.0.0.1:9/jwks.json".into())),
        sign(token.with_header("x5u", "http://127.0.0.1:9/key.pem".into())),
        sign(token.with_header("x5c", json!([x]))),
    ]
}

fn with_strange_key_ids(token: &Token) -> Vec<String> {
    let long = "k".repeat(2000);
    let strange = [
        json!("unknown"),
        json!("../../../../dev/null"),
        json!("' OR 1=1 --"),
        json!("a\u{0}b"),
        json!(""),
        json!(1),
        json!([token.header["kid"]]),
        json!({"kid": token.header["kid"]}),
        json!(null),
        json!(long),
    ];
    let mut forgeries: Vec<_> = strange
        .into_iter()
        .map(|kid| token.with_header("kid", kid).with_signature(&token.signature))
        .collect();
    let mut without = token.clone();
    without.header.as_object_mut().expect("object").remove("kid");
    forgeries.push(without.with_signature(&token.signature));
    // The empty file at that path would be the key of this signature.
    forgeries.push(
        token
            .with_header("alg", "HS256".into())
            .with_header("kid", "../../../../dev/null".into())
            .with_hmac(b""),
    );
    forgeries
}
