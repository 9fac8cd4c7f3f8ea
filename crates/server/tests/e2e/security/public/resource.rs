//! The parameter `resource` (RFC 8707) and the audience of access tokens.

use super::*;
use crate::e2e::app::create_app;
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use crate::e2e::security::auth_request::ask;
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::Value;
use std::time::Instant;

const URI: &str = "http://127.0.0.1:49152/callback";

on_sqlite! {
    /// RFC 9068 section 4 and RFC 8707 section 2.
    async fn an_mcp_token_is_refused_at_the_api_and_introspected_with_its_audience(world: World) {
        let scene = PublicScene::new(world);
        let tokens = connect(&scene, Some("/mcp/")).await;
        let audience = format!("{}/mcp", scene.server.base_url);
        assert_eq!(claims(&tokens.access)["aud"], audience.as_str());
        let reply = scene.caller().read_profile(&tokens.access, &scene.app).await;
        reply.assert_problem(401, "invalid_token");
        let inspector = ["--service", "--name", "Gateway", "--scope", "tokens:introspect"];
        let inspector = scene.world.json(&[&["client", "create", "--json"][..], &inspector].concat());
        let form = Form(vec![
            ("token", tokens.access),
            ("client_id", text(&inspector, "client_id")),
            ("client_secret", text(&inspector, "client_secret")),
        ]);
        assert_eq!(scene.caller().post("/oauth/introspect", &form).await.member("aud"), audience);
    }

    async fn an_assistant_reads_with_a_token_that_a_person_granted_for_the_mcp_endpoint(world: World) {
        let scene = PublicScene::new(world);
        let tokens = connect(&scene, Some("/mcp")).await;
        let answer = list_tools(&scene.caller(), &tokens.access).await.json();
        let tools = answer["result"]["tools"].as_array().expect("tools");
        assert!(tools.iter().any(|tool| tool["name"] == "get_sleep"), "{answer}");
    }

    /// MCP 2026-07-28, Authorization, Token Handling.
    async fn a_grant_revoked_in_the_middle_of_a_session_is_401(world: World) {
        let scene = PublicScene::new(world);
        let tokens = connect(&scene, Some("/mcp")).await;
        // One connection, which stays open.
        let session = scene.caller();
        for _ in 0..3 {
            assert_eq!(list_tools(&session, &tokens.access).await.status, 200);
        }
        scene.world.ok(&["grant", "revoke", "--user", &scene.person.user_id, "--client", &scene.app.client_id]);
        let refused = within(REVOCATION_LIMIT, Instant::now(), "the token is refused", async || {
            let reply = list_tools(&session, &tokens.access).await;
            (reply.status != 200).then_some(reply)
        })
        .await;
        assert_invalid_token(&scene, &refused);
        scene.refresh(&tokens.refresh).await.assert_error(400, "invalid_grant");
    }

    /// MCP 2026-07-28, Authorization, Token Handling.
    async fn an_expired_token_for_the_mcp_endpoint_is_401(world: World) {
        let scene = PublicScene::new(world);
        let tokens = connect(&scene, Some("/mcp")).await;
        let body = claims(&tokens.access);
        let lifetime = body["exp"].as_i64().expect("exp") - body["iat"].as_i64().expect("iat");
        assert_eq!(list_tools(&scene.caller(), &tokens.access).await.status, 200);
        // Tokens are accepted for five seconds more, because clocks differ.
        scene.world.advance(TimeDelta::seconds(lifetime + 6));
        assert_invalid_token(&scene, &list_tools(&scene.caller(), &tokens.access).await);
        // The grant is still live.
        let access = scene.refresh(&tokens.refresh).await.tokens().access;
        assert_eq!(list_tools(&scene.caller(), &access).await.status, 200);
    }

    /// RFC 8707 section 2.
    async fn without_the_parameter_or_with_the_api_the_audience_is_the_api(world: World) {
        let scene = PublicScene::new(world);
        for suffix in [None, Some(""), Some("/")] {
            let tokens = connect(&scene, suffix).await;
            assert_eq!(claims(&tokens.access)["aud"], scene.server.base_url.as_str(), "{suffix:?}");
            assert_eq!(scene.caller().read_profile(&tokens.access, &scene.app).await.status, 200);
        }
        // An empty parameter of an authorization request counts as omitted (RFC 6749 section 3.1).
        let code = scene.code(&scene.auth_request(URI).with("resource", ""), URI).await;
        let tokens = scene.caller().post("/api/token", &scene.exchange(&code, URI)).await.tokens();
        assert_eq!(claims(&tokens.access)["aud"], scene.server.base_url.as_str());
    }

    async fn an_unknown_resource_is_an_invalid_target_rfc_8707_section_2(world: World) {
        let scene = PublicScene::new(world);
        let base = scene.server.base_url.clone();
        let tokens = scene.connect().await;
        for resource in [format!("{base}//"), format!("{base}/api"), format!("{base}/mcp#x"), "https://owl.example".to_owned(), "/mcp".to_owned()] {
            let asking = scene.auth_request(URI).with("resource", &resource);
            let answer = ask(&scene.browser, &asking).await.answer_to(URI);
            assert_eq!((answer["error"].as_str(), answer["state"].as_str()), ("invalid_target", "a state"), "{resource}");
            let form = scene.refreshing(&tokens.refresh).with("resource", &resource);
            scene.caller().post("/api/token", &form).await.assert_error(400, "invalid_target");
            let form = scene.exchange("rwc_x", URI).with("resource", &resource);
            scene.caller().post("/api/token", &form).await.assert_error(400, "invalid_target");
        }
        scene.refresh(&tokens.refresh).await.tokens();
    }

    /// RFC 8707 section 2 and decisions 2.
    async fn a_repeated_resource_and_an_empty_one_at_the_token_endpoint_are_malformed(world: World) {
        let scene = PublicScene::new(world);
        let base = scene.server.base_url.clone();
        let asking = scene.auth_request(URI).with("resource", &base).and("resource", &format!("{base}/mcp"));
        let answer = ask(&scene.browser, &asking).await.answer_to(URI);
        assert_eq!(answer["error"], "invalid_request");
        let tokens = scene.connect().await;
        let mut twice = scene.refreshing(&tokens.refresh).with("resource", &base);
        twice.0.push(("resource", base.clone()));
        scene.caller().post("/api/token", &twice).await.assert_error(400, "invalid_request");
        let empty = scene.refreshing(&tokens.refresh).with("resource", "");
        scene.caller().post("/api/token", &empty).await.assert_error(400, "invalid_request");
        scene.refresh(&tokens.refresh).await.tokens();
    }

    /// RFC 8707 section 2.2.
    async fn neither_the_exchange_nor_a_refresh_changes_the_resource(world: World) {
        let scene = PublicScene::new(world);
        let base = scene.server.base_url.clone();
        let (api, mcp) = (base.clone(), format!("{base}/mcp"));
        for (granted, other) in [(&api, &mcp), (&mcp, &api)] {
            let code = scene.code(&scene.auth_request(URI).with("resource", granted), URI).await;
            let form = scene.exchange(&code, URI);
            let reply = scene.caller().post("/api/token", &form.clone().with("resource", other)).await;
            reply.assert_error(400, "invalid_target");
            let tokens = scene.caller().post("/api/token", &form.with("resource", granted)).await.tokens();
            let form = scene.refreshing(&tokens.refresh);
            let reply = scene.caller().post("/api/token", &form.clone().with("resource", other)).await;
            reply.assert_error(400, "invalid_target");
            let renewed = scene.caller().post("/api/token", &form.with("resource", granted)).await.tokens();
            assert_eq!(claims(&renewed.access)["aud"], granted.as_str());
            let renewed = scene.refresh(&renewed.refresh).await.tokens();
            assert_eq!(claims(&renewed.access)["aud"], granted.as_str());
        }
    }

    async fn a_confidential_client_may_ask_for_a_resource_too(world: World) {
        let scene = PublicScene::new(world);
        let app = ["--name", "Night Reader", "--redirect-uri", REDIRECT_URI];
        let app = create_app(&scene.world, &scene.person.user_id, &app);
        let mcp = format!("{}/mcp", scene.server.base_url);
        let asking = AuthRequest::new(&app).with("resource", &mcp).with("code_challenge", &challenge());
        let asking = asking.with("code_challenge_method", "S256");
        let code = scene.code(&asking, REDIRECT_URI).await;
        let exchange = Form::of_code(&app, &code).with("code_verifier", VERIFIER);
        let tokens = scene.caller().post("/api/token", &exchange).await.tokens();
        assert_eq!(claims(&tokens.access)["aud"], mcp.as_str());
        let access = scene.caller().refresh(&app, &tokens.refresh).await.access();
        assert_eq!(claims(&access)["aud"], mcp.as_str());
        let form = Form(vec![("grant_type", "client_credentials".to_owned()), ("resource", mcp)]);
        let service = crate::e2e::app::create_service(&scene.world, &scene.person.user_id, &["users:write"]);
        let reply = scene.caller().post("/api/token", &form.signed_by(&service)).await;
        reply.assert_error(400, "invalid_target");
    }
}

/// Connects the app with this resource, given by what follows the public URL.
async fn connect(scene: &PublicScene, suffix: Option<&str>) -> Tokens {
    let asking = scene.auth_request(URI);
    let asking = match suffix {
        Some(suffix) => asking.with("resource", &format!("{}{suffix}", scene.server.base_url)),
        None => asking,
    };
    let code = scene.code(&asking, URI).await;
    scene.caller().post("/api/token", &scene.exchange(&code, URI)).await.tokens()
}

/// Lists the tools with a token.
async fn list_tools(caller: &Caller, token: &str) -> Reply {
    let list = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let request = caller.request(Method::POST, "/mcp").bearer_auth(token);
    Reply::to(request.header("mcp-protocol-version", "2025-11-25").json(&list)).await
}

/// Checks a 401 that describes how to get a valid token.
#[track_caller]
fn assert_invalid_token(scene: &PublicScene, reply: &Reply) {
    assert_eq!(reply.status, 401, "{reply:?}");
    let challenge = reply.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains(r#"error="invalid_token""#), "{challenge}");
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", scene.server.base_url);
    assert!(challenge.contains(&metadata), "{challenge}");
}

/// Returns the claims of an access token, without checking it.
fn claims(token: &str) -> Value {
    let body = token.split('.').nth(1).expect("a JWT");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).expect("base64url")).expect("JSON")
}
