//! Refusals: callers get only the errors of RFC 6749, and the operator's log contains the check that failed.

use super::*;
use crate::e2e::security::auth_request::ask;
use serde_json::Value;

on_sqlite! {
    async fn the_reference_on_an_error_page_finds_the_log_line_with_the_reason(world: World) {
        let mut scene = PublicScene::new(world.in_processes());
        let id = scene.app.client_id.clone();
        let asking = scene.auth_request(LOOPBACK_URI);
        let cases = [
            (asking.with("client_id", "owl"), None, "client_id is missing, repeated or malformed"),
            (asking.with("client_id", &scene.person.user_id), None, "the client is unknown"),
            (asking.with("redirect_uri", "https://evil.example/"), Some(&id), "redirect_uri is missing, repeated or not registered"),
            (asking.with("state", &"x".repeat(2049)), Some(&id), "state is longer than 2048 bytes"),
        ];
        let mut expected = Vec::new();
        for (asking, client, reason) in cases {
            let page = ask(&scene.browser, &asking).await;
            assert_eq!(page.status, 400, "{page:?}");
            let reference = reference(&page.body);
            assert!(!page.body.contains(reason), "{reason}");
            expected.push((reference, client.cloned(), reason.to_owned()));
        }
        scene.server.terminate();
        let found = refusals(&scene.server.log(), "an authorization request was rejected");
        assert_eq!(found, expected);
    }

    async fn a_refused_code_or_token_is_logged_with_client_and_reason_not_value(world: World) {
        let mut scene = PublicScene::new(world.in_processes());
        let caller = scene.caller();
        let code = scene.code(&scene.auth_request(LOOPBACK_URI), LOOPBACK_URI).await;
        let form = scene.exchange(&code, LOOPBACK_URI);
        let refused = [
            form.clone().with("code", "rwc_x"),
            form.clone().with("redirect_uri", "http://127.0.0.1:1/callback"),
            form.clone().with("code_verifier", &"b".repeat(43)),
            scene.refreshing("rwt_x"),
        ];
        for form in &refused {
            caller.post("/api/token", form).await.assert_error(400, "invalid_grant");
        }
        let secret = form.with("client_secret", "rws_x");
        caller.post("/api/token", &secret).await.assert_error(401, "invalid_client");
        scene.server.terminate();
        let log = scene.server.log();
        let reasons = |message| refusals(&log, message).into_iter().map(|(_, client, reason)| {
            assert_eq!(client.as_deref(), Some(scene.app.client_id.as_str()));
            reason
        }).collect::<Vec<_>>();
        assert_eq!(reasons("an authorization code was rejected"), [
            "the code is malformed",
            "the redirect URI is not the one of the authorization request",
            "the code verifier does not match",
        ]);
        assert_eq!(reasons("a refresh token was rejected"), ["the refresh token is malformed"]);
        assert_eq!(reasons("client authentication failed"), ["the client is public and sent a secret"]);
        assert!(!log.contains(&code) && !log.contains("rws_x"), "{log}");
    }

    async fn ignored_parameters_are_named_in_a_header(world: World) {
        let scene = PublicScene::new(world);
        let token = scene.connect().await.access;
        let path = format!("/api/v1/sleep/{}", scene.app.user_id);
        let reply = scene.caller().read(&token, &format!("{path}?start_date=2026-01-01&pagesize=5&page=1")).await;
        assert_eq!((reply.status, reply.header("restwell-ignored-parameters")), (200, Some("start_date, pagesize")));
        let reply = scene.caller().read(&token, &format!("{path}?pagesize=5&page=0")).await;
        assert_eq!((reply.status, reply.header("restwell-ignored-parameters")), (400, Some("pagesize")));
        let reply = scene.caller().read(&token, &format!("{path}?page=1")).await;
        assert_eq!((reply.status, reply.header("restwell-ignored-parameters")), (200, None));
        // Before the access check, no detail is disclosed.
        let reply = scene.caller().read("x", &format!("{path}?pagesize=5")).await;
        assert_eq!((reply.status, reply.header("restwell-ignored-parameters")), (401, None));
    }
}

/// Returns the reference on an error page.
fn reference(page: &str) -> String {
    let after = page.split("include the reference <code>").nth(1).expect("a reference");
    after.split('<').next().expect("its end").to_owned()
}

/// Returns request id, client id and reason of each line with this message.
fn refusals(log: &str, message: &str) -> Vec<(String, Option<String>, String)> {
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    lines
        .filter(|line| line["message"] == message)
        .map(|line| {
            let id = text(&line["span"]["request_id"]).expect("a request id");
            (id, text(&line["client_id"]), text(&line["reason"]).expect("a reason"))
        })
        .collect()
}
