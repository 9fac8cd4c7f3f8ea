//! Tokens, scopes and metadata.

use super::client::{Assistant, person};
use crate::e2e::app::{self, REDIRECT_URI, create_app, create_service, text};
use crate::e2e::polling::eventually;
use crate::e2e::response::ReceivedResponse;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use reqwest::Method;
use serde_json::{Value, json};

const CHALLENGED: &str = "scope=\"profile sleep supplements\"";

async fn metadata(server: &Server, path: &str) -> Value {
    let answer = reqwest::get(format!("{}{path}", server.base_url)).await.expect("answer");
    assert_eq!(answer.status(), 200);
    for (name, value) in [("cache-control", "public, max-age=3600"), ("content-type", "application/json")] {
        assert_eq!(answer.headers()[name], value, "{path}");
    }
    answer.json().await.expect("JSON")
}

on_sqlite! {
    async fn a_401_points_to_the_metadata_rfc_9728_section_5_1(world: World) {
        let server = world.serve();
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let address = format!("{}/.well-known/oauth-protected-resource/mcp", server.base_url);
        for (token, error) in [(None, ""), (Some("not.a.token"), ", error=\"invalid_token\""), (Some("rwp_no"), ", error=\"invalid_token\"")] {
            let plain = reqwest::Client::new().post(format!("{}/mcp", server.base_url)).json(&ping);
            let request = match token {
                Some(token) => plain.bearer_auth(token),
                None => plain,
            };
            let answer = ReceivedResponse::send(request).await;
            answer.assert_error(401, 401);
            let expected = format!("Bearer realm=\"restwell\"{error}, {CHALLENGED}, resource_metadata=\"{address}\"");
            assert_eq!(answer.header("www-authenticate"), expected);
        }
        let found = metadata(&server, "/.well-known/oauth-protected-resource/mcp").await;
        assert_eq!(found["resource"], format!("{}/mcp", server.base_url));
    }

    async fn the_metadata_names_resource_issuer_and_scopes_rfc_9728_section_2(world: World) {
        let server = world.serve();
        for (path, resource) in [("", ""), ("/mcp", "/mcp")] {
            let found = metadata(&server, &format!("/.well-known/oauth-protected-resource{path}")).await;
            assert_eq!(found["resource"], format!("{}{resource}", server.base_url));
            assert_eq!(found["authorization_servers"], json!([server.base_url]));
            assert_eq!(found["scopes_supported"], json!(["profile", "sleep", "supplements"]));
            assert_eq!(found["bearer_methods_supported"], json!(["header"]));
        }
        let issuer = metadata(&server, "/.well-known/oauth-authorization-server").await;
        assert_eq!(issuer["issuer"], server.base_url.as_str());
    }

    async fn the_metadata_is_json_without_empty_members_rfc_9728_section_3_2(world: World) {
        let server = world.serve();
        for path in ["", "/mcp"] {
            let found = metadata(&server, &format!("/.well-known/oauth-protected-resource{path}")).await;
            let members = found.as_object().expect("an object");
            assert!(!members.values().any(|value| value.is_null() || *value == json!([])), "{found}");
        }
    }

    /// MCP 2026-07-28, Authorization, Token Requirements.
    async fn a_token_is_sent_in_the_header_only(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let url = format!("{}/mcp?access_token={}", server.base_url, assistant.token);
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let answer = ReceivedResponse::send(reqwest::Client::new().post(&url).json(&ping)).await;
        assert_eq!(answer.status, 401);
        let both = ReceivedResponse::send(reqwest::Client::new().post(&url).bearer_auth(&assistant.token).json(&ping)).await;
        assert_eq!(both.status, 400);
    }

    async fn only_tools_that_the_scopes_allow_are_listed_2026_07_28_tools_capabilities(world: World) {
        let user = person(&world);
        let server = world.serve();
        for (scope, expected) in [
            ("profile", &["get_coverage", "get_profile"][..]),
            ("sleep", &["get_coverage", "get_sleep", "get_night", "get_sleep_trend"]),
            ("supplements", &["get_coverage", "get_supplements"]),
        ] {
            assert_eq!(Assistant::with_scopes(&world, &server, &user, &[scope]).tools().await, expected);
        }
    }

    /// MCP 2026-07-28, Authorization, Scope Challenge Handling.
    async fn a_missing_scope_is_403_with_the_scopes_needed(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["profile"]);
        for (tool, scope) in [("get_sleep", "sleep"), ("get_night", "sleep"), ("get_sleep_trend", "sleep"), ("get_supplements", "supplements")] {
            let answer = assistant.modern("tools/call", json!({ "name": tool })).await;
            let error = answer.assert_error(403, 403);
            assert_eq!((&error["data"]["code"], &answer.json()["id"]), (&json!("insufficient_scope"), &json!("a")));
            let text = format!("This token lacks the scope {scope}.");
            assert_eq!([&error["message"], &error["data"]["detail"]], [text.as_str(); 2], "{tool}");
            let challenge = answer.header("www-authenticate");
            assert!(challenge.contains(&format!("error=\"insufficient_scope\", scope=\"{scope}\", resource_metadata=")), "{challenge}");
            assert!(!answer.headers.contains_key("x-ratelimit-limit"));
        }
        assert_eq!(assistant.call("get_coverage", json!({})).await["not_granted"], json!(["sleep", "supplements"]));
    }

    async fn a_service_token_reads_nothing_2026_07_28_authorization_token_handling(world: World) {
        let user = person(&world);
        let server = world.serve();
        let service = create_service(&world, &user, &["sleep:write"]);
        let form = [("grant_type", "client_credentials"), ("client_id", &service.client_id), ("client_secret", &service.client_secret)];
        let answer = reqwest::Client::new().post(format!("{}/api/token", server.base_url)).form(&form).send().await;
        let tokens: Value = answer.expect("answer").json().await.expect("JSON");
        let backend = Assistant::new(&server, &text(&tokens, "access_token"));
        let answer = backend.legacy("tools/list", &json!({})).await;
        assert_eq!(answer.assert_error(401, 401)["data"]["code"], "invalid_token");
    }

    /// MCP 2025-11-25, Authorization, Access Token Privilege Restriction.
    async fn a_token_that_an_app_got_for_the_api_is_refused(world: World) {
        let user = person(&world);
        let server = world.serve();
        let app = create_app(&world, &user, &["--name", "Assistant", "--redirect-uri", REDIRECT_URI]);
        let code = app::code(&world, &app, &["sleep"]);
        let assistant = Assistant::new(&server, &app::redeem(&server, &app, &code).await.access);
        let answer = assistant.legacy("tools/list", &json!({})).await;
        assert_eq!(answer.assert_error(401, 401)["data"]["code"], "invalid_token");
    }

    /// MCP 2026-07-28, Authorization, Token Handling.
    async fn a_token_that_is_revoked_in_the_middle_of_a_session_is_401(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
        assistant.legacy("initialize", &initialize).await.result();
        assistant.legacy("tools/call", &json!({ "name": "get_sleep" })).await.result();
        world.ok(&["token", "revoke", "--user", &user]);
        let refused = eventually("the token to be rejected", async || {
            let answer = assistant.legacy("tools/call", &json!({ "name": "get_sleep" })).await;
            (answer.status == 401).then_some(answer)
        }).await;
        assert!(refused.header("www-authenticate").contains("error=\"invalid_token\""));
        assert_eq!(assistant.legacy("tools/list", &json!({})).await.status, 401);
        assert_eq!(ReceivedResponse::send(assistant.request(Method::GET)).await.status, 405);
    }
}
