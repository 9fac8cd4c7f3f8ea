//! Requests that proxies may retry, and those that they must not.

use super::proxy::{Kind, Proxy};
use super::relay::{LostResponse, LostResponses, relay};
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::Method;
use serde_json::Value;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

/// Two replicas behind relays behind a proxy.
struct Scene {
    world: World,
    registration: Registration,
    servers: [Server; 2],
    proxy: Proxy,
    losses: Arc<LostResponses>,
    lost: UnboundedReceiver<LostResponse>,
}

impl Scene {
    async fn new(kind: Kind, prefix: &str, count: usize) -> Self {
        // One public URL, so that each accepts the other's tokens.
        let world = World::new(StoreKind::Postgres).await.in_processes();
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://127.0.0.1:8080");
        let registration = register(&world);
        let servers = [world.serve_as("a"), world.serve_as("b")];
        let (losses, lost) = LostResponses::new(prefix, count);
        let relays =
            [relay(0, servers[0].address(), &losses).await, relay(1, servers[1].address(), &losses).await];
        let proxy = Proxy::start(kind, [&relays[0], &relays[1]]).await;
        Self { world, registration, servers, proxy, losses, lost }
    }

    fn caller(&self) -> Caller {
        Caller::to(&self.proxy.base_url(), Ipv4Addr::LOCALHOST)
    }

    async fn token(&self) -> String {
        let code = code(&self.world, &self.registration, &SCOPES);
        Caller::new(&self.servers[0]).redeem(&self.registration, &code).await.access()
    }
}

fn body_of(answer: &str) -> Value {
    let (_, body) = answer.split_once("\r\n\r\n").expect("body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

// T05
async fn a_code_is_not_replayed_when_its_replica_dies_before_it_responds(kind: Kind, method: Method) {
    let mut scene = Scene::new(kind, &format!("{method} /api/token"), usize::MAX).await;
    let form = Form::of_code(&scene.registration, &code(&scene.world, &scene.registration, &SCOPES));
    let caller = scene.caller();
    // The second request on a used connection: some proxies close that one without a response.
    assert_eq!(caller.get("/livez", &Form(Vec::new())).await.status, 200);
    let (asking, by_post) = (caller.clone(), method == Method::POST);
    let asked = tokio::spawn(async move {
        if by_post { asking.post("/api/token", &form).await } else { asking.get("/api/token", &form).await }
    });
    let lost = scene.lost.recv().await.expect("a request");
    // It has committed, and only this test has its response.
    let access = body_of(&lost.answer)["access_token"].as_str().expect("a token").to_owned();
    scene.servers[lost.relay].kill();
    scene.losses.gate.add_permits(1000);
    let reply = asked.await.expect("answer");
    assert_eq!(reply.status, 502, "{kind:?} {method}: {reply:?}");
    assert!(scene.lost.try_recv().is_err(), "{kind:?} {method}: the request was sent again");
    // A replayed code would have revoked this token.
    let other = Caller::new(&scene.servers[1 - lost.relay]);
    assert_eq!(other.read_profile(&access, &scene.registration).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_proxy_replays_a_code_whose_replica_died_on_postgres() {
    for kind in Kind::ALL {
        for method in [Method::GET, Method::POST] {
            a_code_is_not_replayed_when_its_replica_dies_before_it_responds(kind, method).await;
        }
    }
}

async fn lose(scene: &mut Scene, request: reqwest::RequestBuilder) -> (Reply, Vec<String>) {
    scene.losses.gate.add_permits(1000);
    let reply = Reply::to(request).await;
    let mut lines = Vec::new();
    while let Ok(lost) = scene.lost.try_recv() {
        lines.push(lost.line);
    }
    (reply, lines)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_whose_response_is_lost_is_retried_once_on_postgres() {
    for kind in Kind::ALL {
        for path in ["profile", "sleep", "supplements", "changes"] {
            let (losses, expected) = if path == "sleep" { (2, 502) } else { (1, 200) };
            let mut scene = Scene::new(kind, "GET /api/v1/", losses).await;
            let token = scene.token().await;
            let path = format!("/api/v1/{path}/{}", scene.registration.user_id);
            let request = scene.caller().request(Method::GET, &path).bearer_auth(&token);
            let (reply, lost) = lose(&mut scene, request).await;
            assert_eq!((reply.status, lost.len()), (expected, losses), "{kind:?}: {lost:?} {reply:?}");
            let again = scene.caller().request(Method::GET, &path).bearer_auth(&token);
            assert_eq!(Reply::to(again).await.status, 200, "{kind:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_that_changes_data_is_retried_on_postgres() {
    for kind in Kind::ALL {
        let mut scene = Scene::new(kind, "", 0).await;
        let user = scene.registration.user_id.clone();
        let session = format!("/api/v1/sleep/{user}/11111111-2222-4333-8444-555555555555");
        for (method, path) in [
            (Method::GET, "/api/refresh".to_owned()),
            (Method::POST, "/api/refresh".to_owned()),
            (Method::POST, "/oauth/revoke".to_owned()),
            (Method::POST, "/oauth/introspect".to_owned()),
            (Method::POST, "/api/v1/users".to_owned()),
            (Method::PUT, format!("/api/v1/profile/{user}")),
            (Method::POST, format!("/api/v1/sleep/{user}")),
            (Method::DELETE, session),
            (Method::POST, "/sign-in".to_owned()),
            (Method::GET, "/authorize".to_owned()),
        ] {
            let (losses, lost) = LostResponses::new(&format!("{method} {path}"), usize::MAX);
            let addresses = [scene.servers[0].address(), scene.servers[1].address()];
            let relays = [relay(0, addresses[0], &losses).await, relay(1, addresses[1], &losses).await];
            scene.proxy = Proxy::start(kind, [&relays[0], &relays[1]]).await;
            (scene.losses, scene.lost) = (losses, lost);
            let request = scene.caller().request(method.clone(), &path).body("{}");
            let (reply, lost) = lose(&mut scene, request).await;
            assert_eq!((reply.status, lost.len()), (502, 1), "{kind:?} {method} {path}: {lost:?} {reply:?}");
        }
    }
}
