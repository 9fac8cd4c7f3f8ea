//! Registration, PKCE, redirect URIs and authentication of public apps.

use super::*;
use crate::e2e::app::create_app;
use crate::e2e::security::auth_request::ask;

on_sqlite! {
    /// RFC 8252 section 7.3.
    async fn a_public_app_gets_tokens_without_a_secret_at_any_loopback_port(world: World) {
        let scene = PublicScene::new(world);
        for uri in ["http://127.0.0.1/callback", "http://127.0.0.1:1024/callback", "http://127.0.0.1:49152/callback"] {
            let code = scene.code(&scene.auth_request(uri), uri).await;
            let tokens = scene.caller().post("/api/token", &scene.exchange(&code, uri)).await.tokens();
            assert_eq!(scene.caller().read_profile(&tokens.access, &scene.app).await.status, 200);
        }
    }

    async fn the_code_exchange_repeats_the_port_of_the_request_rfc_6749_section_4_1_3(world: World) {
        let scene = PublicScene::new(world);
        let uri = "http://127.0.0.1:49152/callback";
        let code = scene.code(&scene.auth_request(uri), uri).await;
        for other in ["http://127.0.0.1:49153/callback", LOOPBACK_URI] {
            let reply = scene.caller().post("/api/token", &scene.exchange(&code, other)).await;
            reply.assert_error(400, "invalid_grant");
        }
        scene.caller().post("/api/token", &scene.exchange(&code, uri)).await.tokens();
    }

    // Also RFC 8252 section 7.3
    async fn everything_but_the_port_of_a_loopback_uri_is_compared_exactly_rfc_8252_section_8_4(world: World) {
        let scene = PublicScene::new(world);
        for uri in [
            "http://localhost:49152/callback",
            "http://[::1]:49152/callback",
            "http://127.0.0.1:49152/other",
            "http://127.0.0.1:49152/callback?x=1",
            "http://127.0.0.1:0/callback",
            "http://127.0.0.1:49152@evil.example/callback",
            "https://127.0.0.1:49152/callback",
        ] {
            let page = ask(&scene.browser, &scene.auth_request(uri)).await;
            assert_eq!(page.status, 400, "{uri}");
        }
    }

    async fn the_port_of_a_confidential_client_is_compared(world: World) {
        let scene = PublicScene::new(world);
        let app = ["--name", "Night Reader", "--redirect-uri", LOOPBACK_URI];
        let confidential = create_app(&scene.world, &scene.person.user_id, &app);
        let asking = AuthRequest::new(&confidential).with("redirect_uri", "http://127.0.0.1:49152/callback");
        assert_eq!(ask(&scene.browser, &asking).await.status, 400);
    }

    // Also RFC 9700 section 2.1.1
    async fn a_public_app_must_use_pkce_with_s256_rfc_7636_section_4_4_1(world: World) {
        let scene = PublicScene::new(world);
        let asking = scene.auth_request(LOOPBACK_URI);
        for asking in [
            asking.without("code_challenge").without("code_challenge_method"),
            asking.without("code_challenge_method"),
            asking.with("code_challenge_method", "plain"),
        ] {
            let answer = ask(&scene.browser, &asking).await.answer_to(LOOPBACK_URI);
            assert_eq!(answer["error"], "invalid_request", "{asking:?}");
        }
        let code = scene.code(&asking, LOOPBACK_URI).await;
        let form = scene.exchange(&code, LOOPBACK_URI);
        for form in [form.clone().without("code_verifier"), form.clone().with("code_verifier", &challenge())] {
            scene.caller().post("/api/token", &form).await.assert_error(400, "invalid_grant");
        }
        scene.caller().post("/api/token", &form).await.tokens();
    }

    /// RFC 8252 section 8.5 and RFC 6749 section 2.3.
    async fn a_public_app_that_sends_a_secret_and_a_client_that_sends_none_are_refused(world: World) {
        let scene = PublicScene::new(world);
        let tokens = scene.connect().await;
        let caller = scene.caller();
        let confidential = create_app(&scene.world, &scene.person.user_id, &["--name", "Night Reader", "--redirect-uri", REDIRECT_URI]);
        for secret in [confidential.client_secret.as_str(), "x"] {
            let form = scene.refreshing(&tokens.refresh).with("client_secret", secret);
            caller.post("/api/token", &form).await.assert_error(401, "invalid_client");
            let pair = (scene.app.client_id.as_str(), secret);
            let form = scene.refreshing(&tokens.refresh).unsigned();
            caller.get_basic("/api/token", pair, &form).await.assert_error(401, "invalid_client");
        }
        let form = scene.refreshing(&tokens.refresh).with("client_id", &confidential.client_id);
        let reply = caller.post("/api/token", &form).await;
        reply.assert_error(400, "invalid_request");
        assert!(reply.member("error_description").contains("client_secret"), "{reply:?}");
        // None of these attempts used up the token.
        scene.refresh(&tokens.refresh).await.access();
    }

    // T34
    async fn only_a_domain_lets_consent_be_remembered_rfc_8252_section_8_6(world: World) {
        let scene = PublicScene::new(world);
        let (id, https_loopback) = (scene.app.client_id.as_str(), "https://localhost/callback");
        let uris = [LOOPBACK_URI, https_loopback, REDIRECT_URI].map(|uri| ["--redirect-uri", uri]);
        scene.world.ok(&[&["client", "update", id][..], uris.as_flattened()].concat());
        for (uri, is_remembered) in [(REDIRECT_URI, true), (LOOPBACK_URI, false), (https_loopback, false)] {
            let asking = scene.auth_request(uri);
            let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
            assert_eq!(consent.body.contains("name=\"remember\""), is_remembered, "{uri}");
            // Sent even where the page has no such box.
            let form = consent.form("/consent").tick("scope", &SCOPES).with("decision", "allow").with("remember", "yes");
            assert!(scene.browser.submit(&form).await.answer_to(uri).contains_key("code"), "{uri}");
        }
        for (uri, is_remembered) in [(REDIRECT_URI, true), (LOOPBACK_URI, false), (https_loopback, false)] {
            let sent = ask(&scene.browser, &scene.auth_request(uri)).await;
            assert_eq!(!sent.location().starts_with("/consent?request="), is_remembered, "{uri}: {sent:?}");
        }
    }

    /// RFC 7009 section 2.1 and RFC 7662 section 2.1.
    async fn a_public_app_revokes_its_tokens_and_may_not_introspect(world: World) {
        let scene = PublicScene::new(world);
        let tokens = scene.connect().await;
        let form = Form(vec![("token", tokens.refresh.clone()), ("client_id", scene.app.client_id.clone())]);
        scene.caller().post("/oauth/introspect", &form).await.assert_error(401, "invalid_client");
        assert_eq!(scene.caller().post("/oauth/revoke", &form).await.status, 200);
        scene.refresh(&tokens.refresh).await.assert_error(400, "invalid_grant");
    }

    async fn the_operator_sees_which_clients_are_public_rfc_8252_section_8_4(world: World) {
        let scene = PublicScene::new(world);
        let id = scene.app.client_id.as_str();
        let shown = scene.world.json(&["client", "show", id, "--json"]);
        assert_eq!((&shown["kind"], &shown["type"]), (&"app".into(), &"public".into()), "{shown}");
        assert_eq!((&shown["require_pkce"], &shown["live_secrets"]), (&true.into(), &0.into()), "{shown}");
        for refused in [
            &["client", "rotate-secret", id][..],
            &["client", "update", id, "--require-pkce", "false"],
            &["client", "create", "--public", "--service", "--name", "X", "--scope", "sleep:write"],
            &["client", "create", "--public", "--name", "X", "--scope", "sleep"],
            &["client", "create", "--public", "--name", "X", "--redirect-uri", LOOPBACK_URI, "--scope", "sleep:write"],
        ] {
            assert!(!scene.world.run(refused).status.success(), "{refused:?}");
        }
        scene.world.ok(&["client", "disable", id]);
        let page = ask(&scene.browser, &scene.auth_request(LOOPBACK_URI)).await;
        assert_eq!(page.status, 400, "{page:?}");
    }

    async fn the_metadata_lists_the_authentication_method_none_rfc_8414_section_2(world: World) {
        let scene = PublicScene::new(world);
        let metadata = scene.caller().get("/.well-known/oauth-authorization-server", &Form(Vec::new())).await.json();
        let methods = serde_json::json!(["client_secret_basic", "client_secret_post", "none"]);
        assert_eq!(metadata["token_endpoint_auth_methods_supported"], methods);
        assert_eq!(metadata["revocation_endpoint_auth_methods_supported"], methods);
        assert_eq!(metadata["introspection_endpoint_auth_methods_supported"].as_array().map(Vec::len), Some(2));
    }
}
