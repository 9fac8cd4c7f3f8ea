//! Errors reported to the app once its redirect URI is verified.

use crate::e2e::app::REDIRECT_URI;
use crate::e2e::person::app_of;
use crate::e2e::security::auth_request::{AuthRequest, allow, ask, reach_consent};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

on_sqlite! {
    // T23
    async fn other_errors_are_reported_to_the_app(world: World) {
        let scene = Scene::new(world);
        let asking = scene.auth_request();
        let client = &scene.app.client_id;
        scene.world.ok(&["client", "update", client, "--scope", "profile", "--scope", "sleep"]);
        for (name, value, error) in [
            ("response_type", "token", "unsupported_response_type"),
            ("response_type", "code token", "unsupported_response_type"),
            ("response_type", "id_token", "unsupported_response_type"),
            ("response_type", "CODE", "unsupported_response_type"),
            ("response_type", "none", "unsupported_response_type"),
            ("response_type", "", "invalid_request"),
            ("response_mode", "fragment", "invalid_request"),
            ("response_mode", "form_post", "invalid_request"),
            ("scope", "unheard-of", "invalid_scope"),
            ("scope", "sleep unheard-of", "invalid_scope"),
            ("scope", "Sleep", "invalid_scope"),
            ("scope", "supplements", "invalid_scope"),
            ("scope", "sleep:write", "invalid_scope"),
            ("scope", "users:write profile", "invalid_scope"),
            ("scope", "openid", "invalid_scope"),
            ("scope", " ", "invalid_scope"),
            ("prompt", "none login", "invalid_request"),
            ("scope", "a\tb", "invalid_request"),
        ] {
            let asking = asking.with("scope", "sleep").with(name, value);
            assert_error_response(&scene, &asking, error).await;
        }
        assert_error_response(&scene, &asking.without("response_type"), "invalid_request").await;
        for table in ["authorization_request", "authorization_code"] {
            assert_rows(&scene.world, table, "", 0).await;
        }
    }

    // T23
    async fn denying_and_ticking_nothing_are_both_access_denied(world: World) {
        let scene = Scene::new(world);
        let asking = scene.auth_request();
        let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
        let form = consent.form("/consent");
        let decisions = [
            form.with("decision", "deny"), form.tick("scope", &[]).with("decision", "deny").with("remember", "yes"),
            form.tick("scope", &[]).with("decision", "allow"),
            form.tick("scope", &[]).with("decision", "allow").with("remember", "yes"),
        ];
        for decision in decisions {
            let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
            let decision = decision.with("request", consent.form("/consent").value("request"));
            let answer = scene.browser.submit(&decision).await.answer_to(REDIRECT_URI);
            assert_eq!((answer["error"].as_str(), answer["state"].as_str()), ("access_denied", "a state"));
            assert!(!answer.contains_key("code"), "{answer:?}");
        }
        assert_rows(&scene.world, "authorization_code", "", 0).await;
        assert_rows(&scene.world, "consent", "", 0).await;
        // After a denial the app can ask again.
        let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
        assert!(allow(&scene.browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI).contains_key("code"));
    }

    // T24
    async fn a_repeated_app_or_uri_gets_an_error_page(world: World) {
        let scene = Scene::new(world);
        let other = app_of(&scene.world, &scene.person, &["--name", "Other", "--redirect-uri", REDIRECT_URI]);
        let asking = scene.auth_request();
        for (name, value) in [
            ("client_id", scene.app.client_id.as_str()), ("client_id", &other.client_id), ("client_id", ""),
            ("redirect_uri", REDIRECT_URI), ("redirect_uri", "https://evil.example/"), ("redirect_uri", ""),
        ] {
            ask(&scene.browser, &asking.and(name, value)).await.assert_refused(400);
            // In either order.
            let reversed = AuthRequest::new(&scene.app).without(name).and(name, value);
            let first = if name == "client_id" { scene.app.client_id.as_str() } else { REDIRECT_URI };
            ask(&scene.browser, &reversed.and(name, first)).await.assert_refused(400);
        }
        assert_rows(&scene.world, "authorization_request", "", 0).await;
    }

    // T24
    async fn any_other_repeated_parameter_is_reported_to_the_app(world: World) {
        let scene = Scene::new(world);
        let asking = scene.auth_request().with("code_challenge", CHALLENGE).with("code_challenge_method", "S256");
        let asking = asking.with("prompt", "login").with("response_mode", "query").with("login_hint", "a@example.org");
        for (name, same) in [
            ("response_type", "code"), ("scope", "sleep"), ("state", "a state"), ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"), ("prompt", "login"), ("response_mode", "query"),
            ("login_hint", "a@example.org"),
        ] {
            for value in [same, "another", ""] {
                let answer = ask(&scene.browser, &asking.and(name, value)).await.answer_to(REDIRECT_URI);
                assert_eq!(answer["error"], "invalid_request", "{name}");
                // It is unknown which of two values is meant.
                let expected = (name != "state").then_some("a state");
                assert_eq!(answer.get("state").map(String::as_str), expected);
            }
        }
        assert_rows(&scene.world, "authorization_request", "", 0).await;
        // An unknown name may be repeated.
        let twice = asking.and("unknown", "a").and("unknown", "b").and("scope[]", "x");
        assert!(ask(&scene.browser, &twice).await.own_location().starts_with("/sign-in?request="));
    }
}

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async fn assert_error_response(scene: &Scene, asking: &AuthRequest, error: &str) {
    let answer = ask(&scene.browser, asking).await.answer_to(REDIRECT_URI);
    let members: Vec<&str> = answer.keys().map(String::as_str).collect();
    assert_eq!(members, ["error", "error_description", "iss", "state"], "{asking:?}");
    assert_eq!((answer["error"].as_str(), answer["state"].as_str()), (error, "a state"), "{asking:?}");
    assert_eq!(answer["iss"], scene.server.base_url);
    let printable = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    assert!(answer["error_description"].bytes().all(printable), "{answer:?}");
    assert!(!answer["error_description"].contains("unheard"), "{answer:?}");
}
