//! Secrets in query strings: allowed by the contract, and rejected if the operator forbids them.

use super::account::people::trail;
use super::caller::{Caller, Form, Reply};
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::world::World;
use reqwest::Method;

on_sqlite! {
    // T04
    async fn a_client_that_refuses_secrets_in_queries_is_served_by_body_and_header(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let client = &registration.client_id;
        world.ok(&["client", "update", client, "--allow-query-secrets", "false"]);
        assert_refused_in_queries(&world, &registration, &Caller::new(&server)).await;
        let exposed = trail(&world, &["--kind", "client.secret_exposed"]);
        assert!(!exposed.is_empty());
        for event in &exposed {
            assert_eq!((event["client_id"].as_str(), event["address"].as_str()), (Some(&**client), Some("127.0.0.1")));
            assert!(event["subject"].as_str().is_some_and(|secret| !secret.contains("rws_")), "{event}");
        }
        world.ok(&["client", "update", client, "--allow-query-secrets", "true"]);
        let form = Form::of_code(&registration, &code(&world, &registration, &SCOPES));
        Caller::new(&server).get("/api/token", &form).await.tokens();
    }

    // T04
    async fn a_server_that_refuses_secrets_in_queries_does_so_for_every_client(world: World) {
        let world = world.with("RESTWELL__TOKENS__ALLOW_QUERY_SECRETS", "false");
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        assert_refused_in_queries(&world, &registration, &caller).await;
        let unknown = Registration { client_id: "unknown".to_owned(), ..registration };
        let form = Form::of_code(&unknown, "rwc_any");
        caller.get("/api/token", &form).await.assert_error(400, "invalid_request");
    }
}

/// Checks that each kind of secret is rejected in a query, and that it stays valid elsewhere.
async fn assert_refused_in_queries(world: &World, registration: &Registration, caller: &Caller) {
    let pair = (registration.client_id.as_str(), registration.client_secret.as_str());
    let form = Form::of_code(registration, &code(world, registration, &SCOPES));
    caller.get("/api/token", &form).await.assert_error(400, "invalid_request");
    let without_code = form.clone().without("code");
    let by_query = caller.request(Method::POST, &format!("/api/token?{}", without_code.encoded()));
    let reply = Reply::to(by_query.form(&[("code", &form.0[0].1)])).await;
    reply.assert_error(400, "invalid_request");
    let reply = caller.get_basic("/api/token", pair, &form.clone().unsigned()).await;
    reply.assert_error(400, "invalid_request");
    let tokens = caller.post("/api/token", &form).await.tokens();

    let form = Form::of_refresh(registration, &tokens.refresh);
    caller.get("/api/refresh", &form).await.assert_error(400, "invalid_request");
    let reply = caller.get_basic("/api/refresh", pair, &form.clone().unsigned()).await;
    reply.assert_error(400, "invalid_request");
    caller.post("/api/refresh", &form).await.access();
    // Basic with the token in a body: no secret is in the URL.
    let by_header = caller.request(Method::GET, "/api/refresh").form(&form.unsigned().0);
    Reply::to(by_header.basic_auth(pair.0, Some(pair.1))).await.access();
}
