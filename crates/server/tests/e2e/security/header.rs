//! Required and forbidden headers of responses, for each status of a running server.

use super::caller::{Caller, Form, Reply, basic};
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::world::World;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};

on_sqlite! {
    // T02, T102
    async fn every_response_of_the_token_endpoints_has_the_protective_headers(world: World) {
        let world = world.with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "2");
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let form = Form::of_code(&registration, &code(&world, &registration, &SCOPES));
        caller.get("/api/token", &form).await.tokens();
        for path in ["/api/token", "/api/refresh"] {
            let send = |method: Method, path: String| Reply::to(caller.request(method, &path));
            let post = |kind: &'static str, body: String| {
                Reply::to(caller.request(Method::POST, path).header(CONTENT_TYPE, kind).body(body))
            };
            let form_type = "application/x-www-form-urlencoded";
            send(Method::GET, path.to_owned()).await.assert_error(400, "invalid_request");
            send(Method::GET, format!("{path}?grant_type=password")).await.assert_error(400, "unsupported_grant_type");
            for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE, Method::OPTIONS] {
                let reply = send(method, path.to_owned()).await;
                reply.assert_error(405, "invalid_request");
                assert_eq!(reply.header("allow"), Some("GET, POST"));
            }
            let head = send(Method::HEAD, path.to_owned()).await;
            assert_eq!(head.status, 405);
            head.assert_guarded("no-store");
            post(form_type, "x".repeat(17 * 1024)).await.assert_error(413, "invalid_request");
            send(Method::GET, format!("{path}?x={}", "y".repeat(9000))).await.assert_error(414, "invalid_request");
            post("text/plain", "code=x".to_owned()).await.assert_error(415, "invalid_request");
            post("multipart/form-data; boundary=b", "--b--".to_owned()).await.assert_error(415, "invalid_request");
            let large = caller.request(Method::GET, path).header("x-filler", "y".repeat(17 * 1024));
            Reply::to(large).await.assert_error(431, "invalid_request");
        }
        let wrong = form.with("client_secret", "wrong");
        for status in [401, 401, 429] {
            let error = if status == 401 { "invalid_client" } else { "temporarily_unavailable" };
            caller.post("/api/token", &wrong).await.assert_error(status, error);
        }
        let other_scheme = caller.request(Method::POST, "/api/token").form(&wrong.unsigned().0);
        let other_scheme = other_scheme.header(AUTHORIZATION, "Bearer x");
        Reply::to(other_scheme).await.assert_error(401, "invalid_client");
    }

    // T02
    async fn every_response_of_the_other_endpoints_has_the_protective_headers(world: World) {
        let world = world.with("RESTWELL__RATE_LIMITS__PROFILE", "1");
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &["profile", "sleep"])).await.tokens();
        let user = &registration.user_id;
        let good = caller.read_profile(&tokens.access, &registration).await;
        assert_eq!(good.status, 200);
        good.assert_guarded("private, no-store");
        let limited = caller.read_profile(&tokens.access, &registration).await;
        limited.assert_problem(429, "rate_limited");
        assert!(limited.header("retry-after").is_some());
        let nobody = "11111111-2222-4333-8444-555555555555";
        for (path, status, code) in [
            (format!("/api/v1/sleep/{user}?page=0"), 400, "invalid_parameter"),
            ("/api/v1/sleep/no-uuid".to_owned(), 400, "invalid_user_id"),
            (format!("/api/v1/sleep/{nobody}"), 403, "other_user"),
            (format!("/api/v1/supplements/{user}"), 403, "insufficient_scope"),
            ("/nowhere".to_owned(), 404, "not_found"),
            ("/api/v1/sleep".to_owned(), 404, "not_found"),
            (format!("/api/v1/sleep/{user}?x={}", "y".repeat(9000)), 414, "uri_too_long"),
        ] {
            caller.read(&tokens.access, &path).await.assert_problem(status, code);
        }
        caller.read("forged", &format!("/api/v1/sleep/{user}")).await.assert_problem(401, "invalid_token");
        for path in [format!("/api/v1/sleep/{user}"), "/livez".to_owned(), "/.well-known/jwks.json".to_owned()] {
            let reply = Reply::to(caller.request(Method::DELETE, &path).bearer_auth(&tokens.access)).await;
            reply.assert_problem(405, "method_not_allowed");
            assert!(reply.header("allow").is_some_and(|methods| methods.contains("GET")));
        }
    }

    // T99
    async fn headers_that_override_host_or_method_are_ignored(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let form = Form::of_code(&registration, &code(&world, &registration, &SCOPES));
        let evil = |request: reqwest::RequestBuilder| {
            request
                .header("Host", "evil.example")
                .header("X-Forwarded-Host", "evil.example")
                .header("X-Forwarded-Proto", "https")
                .header("Forwarded", "host=evil.example;proto=https")
                .header("X-Original-URL", "/livez")
                .header("X-Rewrite-URL", "/livez")
                .header("X-HTTP-Method-Override", "DELETE")
        };
        let reply = Reply::to(evil(caller.request(Method::POST, "/api/token").form(&form.0))).await;
        let tokens = reply.tokens();
        let path = format!("/api/v1/profile/{}", registration.user_id);
        let reply = Reply::to(evil(caller.request(Method::GET, &path).bearer_auth(&tokens.access))).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let lost = Reply::to(evil(caller.request(Method::GET, "/nowhere"))).await;
        lost.assert_problem(404, "not_found");
        assert!(lost.member("type").starts_with(&server.base_url), "{lost:?}");
        let basic = basic((&registration.client_id, &registration.client_secret));
        let refresh = Form::of_refresh(&registration, &tokens.refresh).unsigned();
        let reply = Reply::to(evil(caller.request(Method::POST, "/api/refresh").form(&refresh.0).header(AUTHORIZATION, basic))).await;
        // The issuer is the same, so the token is accepted.
        let reply = caller.read_profile(&reply.access(), &registration).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("set-cookie"), None);
    }
}
