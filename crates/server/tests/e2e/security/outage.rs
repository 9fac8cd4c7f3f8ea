//! A database that becomes unavailable and available again.

use super::caller::{Caller, Form, Reply};
use super::raw::read_to_end;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::relay::{Line, Relay};
use crate::e2e::world::{StoreKind, World};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use std::time::{Duration, Instant};

/// Maximum time of a response while the database is unavailable: waiting for a connection, and for a
/// statement.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(45);

// T103
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_database_is_a_503_and_nothing_is_lost_on_postgres() {
    outage(Line::Cut).await;
}

// T103
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unresponsive_database_is_a_503_and_nothing_is_lost_on_postgres() {
    outage(Line::Silent).await;
}

/// Interrupts the line to the database, and waits 1.1 s, because cached grants are valid for a second.
async fn outage(kind: Line) {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let registration = register(&world);
    let [redeemed, unused] = [(); 2].map(|()| code(&world, &registration, &SCOPES));
    let relay = Relay::start(&world.storage_url, Line::Up).await;
    let url = relay.url_of(&world.storage_url);
    let world = world
        .with("RESTWELL__STORAGE__URL", &url)
        .with("RESTWELL__STORAGE__STATEMENT_TIMEOUT_SECONDS", "2")
        .with("RESTWELL__STORAGE__CONNECT_TIMEOUT_SECONDS", "1");
    let server = world.serve();
    let caller = Caller::new(&server);
    wait_for(&caller, "/readyz", 200).await;
    let tokens = caller.redeem(&registration, &redeemed).await.tokens();
    assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);

    relay.set(kind);
    // Cached grants expire after a second.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_unavailable(&caller, &registration, (&unused, &tokens.refresh, &tokens.access)).await;
    wait_for(&caller, "/readyz", 503).await;
    assert_eq!(caller.get("/livez", &Form(Vec::new())).await.status, 200);

    relay.set(Line::Up);
    wait_for(&caller, "/readyz", 200).await;
    // Without a restart. A code whose exchange failed is still valid.
    caller.redeem(&registration, &unused).await.tokens();
    caller.refresh(&registration, &tokens.refresh).await.access();
    assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);
    caller.redeem(&registration, &redeemed).await.assert_error(400, "invalid_grant");
    let log = server.log();
    for secret in [&unused, &redeemed, &tokens.refresh, &tokens.access, &registration.client_secret] {
        assert!(!log.contains(secret.as_str()), "a failure put a secret into the log");
    }
}

/// Replaces the key id of a token.
fn of_an_unseen_key(token: &str) -> String {
    let (_, rest) = token.split_once('.').expect("token");
    let kid = "5d0d7c4e-9a0b-4a56-8f0e-3b8f5c1f9a70";
    let header = serde_json::json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": kid }).to_string();
    format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header))
}

/// Checks that each kind of request gets 503 with a retry time, never an error about its secrets.
async fn assert_unavailable(caller: &Caller, registration: &Registration, secrets: (&str, &str, &str)) {
    let (code, refresh, access) = secrets;
    let wrong = Form::of_code(registration, code).with("client_secret", "rws_wrong");
    let user = &registration.user_id;
    let requests = [
        caller.request(Method::POST, "/api/token").form(&Form::of_code(registration, code).0),
        caller.request(Method::POST, "/api/refresh").form(&Form::of_refresh(registration, refresh).0),
        // The counters of failures do not fail open either.
        caller.request(Method::POST, "/api/token").form(&wrong.0),
        caller.request(Method::GET, &format!("/api/v1/profile/{user}")).bearer_auth(access),
        caller.request(Method::GET, &format!("/api/v1/sleep/{user}?include_stages=1")).bearer_auth(access),
        caller.request(Method::GET, &format!("/api/supplements/{user}")).bearer_auth(access),
        // With a key that this server has not seen: it cannot check whether the store has it (T70).
        caller.request(Method::GET, &format!("/api/v1/sleep/{user}")).bearer_auth(of_an_unseen_key(access)),
    ];
    let asked = Instant::now();
    let replies = requests.map(|request| tokio::spawn(Reply::to(request)));
    for (number, reply) in replies.into_iter().enumerate() {
        let reply = reply.await.expect("reply");
        if number < 3 {
            reply.assert_error(503, "temporarily_unavailable");
        } else {
            reply.assert_problem(503, "storage_unavailable");
        }
        let seconds = reply.header("retry-after").expect("Retry-After").parse::<u32>();
        assert!(seconds.is_ok_and(|seconds| seconds > 0), "{reply:?}");
        assert_eq!(reply.header("www-authenticate"), None, "{reply:?}");
    }
    assert!(asked.elapsed() < RESPONSE_TIMEOUT, "the answers took {:?}", asked.elapsed());
}

async fn wait_for(caller: &Caller, path: &str, status: u16) {
    let started = Instant::now();
    loop {
        let reply = caller.get(path, &Form(Vec::new())).await;
        if reply.status == status {
            return;
        }
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{path} is not {status}: {reply:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Fails if the relay does not work at all, so that such a failure is not mistaken for an outage.
#[tokio::test]
async fn the_relay_closes_the_connections_it_cuts() {
    let relay = Relay::start("postgres://127.0.0.1:1/none", Line::Cut).await;
    assert_eq!(read_to_end(&mut relay.connect().await).await, "");
}
