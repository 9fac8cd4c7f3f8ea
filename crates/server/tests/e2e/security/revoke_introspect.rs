//! Revocation and introspection of tokens.

use super::caller::{Caller, Form, Reply};
use super::party::{another_client, with_one_address};
use crate::e2e::app::{Registration, SCOPES, Tokens, code, create_service, register, text};
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use crate::e2e::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Instant;

on_sqlite! {
    // T55
    async fn revoking_either_token_ends_the_grant_on_every_server(world: World) {
        let world = with_one_address(world);
        let registration = register(&world);
        let servers = [world.serve(), world.serve_as("second")];
        let callers = servers.each_ref().map(Caller::new);
        for by_access_token in [false, true] {
            let tokens = redeem(&world, &callers[0], &registration).await;
            let bystander = redeem(&world, &callers[0], &registration).await;
            for caller in &callers {
                assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);
            }
            let given = if by_access_token { &tokens.access } else { &tokens.refresh };
            assert_accepted(&revoke(&callers[0], &registration, given).await);
            let revoked_at = Instant::now();
            for caller in &callers {
                caller.refresh(&registration, &tokens.refresh).await.assert_error(400, "invalid_grant");
                within(REVOCATION_LIMIT, revoked_at, "the access token is rejected", async || {
                    (caller.read_profile(&tokens.access, &registration).await.status == 401).then_some(())
                }).await;
                assert_eq!(caller.read_profile(&bystander.access, &registration).await.status, 200);
            }
            // Again: there is nothing left to revoke, and the response is the same.
            for token in [&tokens.refresh, &tokens.access] {
                assert_accepted(&revoke(&callers[1], &registration, token).await);
            }
            callers[1].refresh(&registration, &bystander.refresh).await.access();
        }
    }

    async fn an_access_token_is_active_for_its_client_and_for_an_authorized_service(world: World) {
        let registration = register(&world);
        let other = another_client(&world, &registration);
        let inspector = create_service(&world, &registration.user_id, &["tokens:introspect"]);
        let writer = create_service(&world, &registration.user_id, &["sleep:write"]);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = redeem(&world, &caller, &registration).await;
        let own = Form(vec![("grant_type", "client_credentials".to_owned())]).signed_by(&writer);
        let service_token = caller.post("/api/token", &own).await.access();
        for (asker, token, active) in [
            (&registration, &tokens.access, true),
            (&other, &tokens.access, false),
            (&writer, &tokens.access, false),
            (&writer, &service_token, true),
            (&registration, &service_token, false),
            (&inspector, &tokens.access, true),
            (&inspector, &service_token, true),
            (&inspector, &"nonsense".to_owned(), false),
        ] {
            assert_eq!(ask(&caller, asker, token).await["active"], active, "{asker:?}");
        }
        let reported = ask(&caller, &registration, &tokens.access).await;
        let expected = ["active", "aud", "client_id", "exp", "iat", "iss", "jti", "scope", "sub", "token_type"];
        let members: std::collections::BTreeSet<_> = reported.as_object().expect("object").keys().map(String::as_str).collect();
        assert_eq!(members, expected.into());
        assert_eq!((text(&reported, "iss"), text(&reported, "sub")), (server.base_url.clone(), registration.user_id.clone()));
        assert_eq!(text(&ask(&caller, &writer, &service_token).await, "sub"), writer.client_id);
        // A service token has no grant to revoke, and the response reports that.
        revoke(&caller, &writer, &service_token).await.assert_error(400, "unsupported_token_type");
        assert_accepted(&revoke(&caller, &registration, &tokens.access).await);
        // At once, despite the caches of data endpoints; other tokens are unaffected.
        assert_eq!(ask(&caller, &inspector, &tokens.access).await, json!({"active": false}));
        let form = Form(vec![("token", tokens.refresh.clone())]).signed_by(&registration);
        let reported = caller.post("/oauth/introspect", &form.with("token_type_hint", "refresh_token")).await;
        assert_eq!(reported.json(), json!({"active": false}));
    }

    // T26
    async fn every_endpoint_in_the_metadata_exists(world: World) {
        let server = world.serve();
        let caller = Caller::new(&server);
        let reply = caller.get("/.well-known/oauth-authorization-server", &Form(Vec::new())).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let metadata = reply.json();
        assert_eq!(text(&metadata, "issuer"), server.base_url);
        let mut named = 0;
        for (name, value) in metadata.as_object().expect("object") {
            let Some(path) = value.as_str().and_then(|url| url.strip_prefix(&server.base_url)) else { continue };
            if path.is_empty() {
                continue;
            }
            named += 1;
            match name.as_str() {
                "jwks_uri" | "service_documentation" => {
                    assert_eq!(Reply::to(caller.request(Method::GET, path)).await.status, 200, "{name}");
                }
                // Without parameters: a page, because there is no app to redirect to.
                "authorization_endpoint" => {
                    let reply = Reply::to(caller.request(Method::GET, path)).await;
                    assert_eq!((reply.status, reply.header("content-type")), (400, Some("text/html; charset=utf-8")));
                }
                _ => Reply::to(caller.request(Method::POST, path)).await.assert_error(400, "invalid_request"),
            }
        }
        assert_eq!(named, 6);
    }
}

async fn redeem(world: &World, caller: &Caller, registration: &Registration) -> Tokens {
    caller.redeem(registration, &code(world, registration, &SCOPES)).await.tokens()
}

async fn revoke(caller: &Caller, client: &Registration, token: &str) -> Reply {
    caller.post("/oauth/revoke", &Form(vec![("token", token.to_owned())]).signed_by(client)).await
}

async fn ask(caller: &Caller, client: &Registration, token: &str) -> Value {
    let reply =
        caller.post("/oauth/introspect", &Form(vec![("token", token.to_owned())]).signed_by(client)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.assert_guarded("no-store");
    reply.json()
}

#[track_caller]
fn assert_accepted(reply: &Reply) {
    assert_eq!((reply.status, reply.body.as_str()), (200, ""), "{reply:?}");
    reply.assert_guarded("no-store");
}
