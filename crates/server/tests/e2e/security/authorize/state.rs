//! Every redirect to the app contains its `state`, byte for byte, and the configured issuer.

use crate::e2e::app::REDIRECT_URI;
use crate::e2e::security::auth_request::{AuthRequest, ask, reach_consent};
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::security::party::{PUBLIC_URL, with_one_address};
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;

const EVIL_HEADERS: [(&str, &str); 5] = [
    ("host", "evil.example"),
    ("x-forwarded-host", "evil.example"),
    ("x-forwarded-proto", "https"),
    ("forwarded", "host=evil.example;proto=https"),
    ("x-original-url", "/livez"),
];

on_sqlite! {
    // T25
    async fn the_state_is_returned_byte_for_byte(world: World) {
        let scene = Scene::new(world);
        remember_everything(&scene).await;
        let states = [
            "x", "a&b=c", "%", "%41", "+", "a+b c", "\"<>'", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "\n",
            "&error=access_denied&code=forged", "#fragment", "?x=y", "\u{e9}\u{1f634}\u{202e}", " ", "{\"a\":[1]}", "\\",
            "\u{1}\u{1f}\u{7f}", &"s".repeat(1024), &"\u{1f634}".repeat(512), &"%".repeat(2048),
        ];
        for state in states {
            let asking = scene.auth_request().with("state", state);
            // With a code, with an error, and through the store and the page.
            for asking in [asking.clone(), asking.with("response_type", "token"), asking.with("prompt", "consent")] {
                let mut sent = ask(&scene.browser, &asking).await;
                if sent.location().starts_with('/') {
                    let consent = scene.browser.follow(&sent).await;
                    sent = scene.browser.submit(&consent.form("/consent").with("decision", "deny")).await;
                    remember_everything(&scene).await;
                }
                assert_eq!(sent.answer_to(REDIRECT_URI)["state"], state);
                // Characters with a meaning in a URL or header are encoded.
                let location = sent.location();
                assert!(location.bytes().all(|byte| byte.is_ascii_graphic()), "{location}");
                assert_eq!(location.matches(['#', '<', '"', '\'', '+']).count(), 0, "{location}");
            }
        }
    }

    // T26
    async fn every_redirect_to_the_app_has_the_configured_issuer_rfc_9207_section_2_3(world: World) {
        let scene = Scene::new(with_one_address(world));
        let metadata = Caller::new(&scene.server).get("/.well-known/oauth-authorization-server", &Form(Vec::new())).await;
        assert_eq!(metadata.json()["authorization_response_iss_parameter_supported"], true);
        assert_eq!(metadata.member("issuer"), PUBLIC_URL);
        let browser = &scene.browser;
        let at_evil = |asking: &AuthRequest| {
            let path = asking.path();
            async move { browser.get_with(&path, &EVIL_HEADERS).await }
        };
        let asking = scene.auth_request();
        for asking in [
            asking.with("scope", "x"), asking.with("response_type", "token"), asking.and("state", "twice"),
            asking.with("prompt", "none"), asking.with("code_challenge", "x"),
        ] {
            let answer = at_evil(&asking).await.answer_to(REDIRECT_URI);
            assert_eq!(answer["iss"], PUBLIC_URL);
            assert!(answer.contains_key("error"), "{answer:?}");
        }
        for (decision, member) in [("deny", "error"), ("allow", "code")] {
            let sent = at_evil(&asking).await;
            assert_eq!(sent.header("location").map(|to| to.contains("evil")), Some(false));
            let consent = reach_consent(browser, &asking, &scene.person).await;
            assert!(!consent.body.contains("evil"), "{consent:?}");
            let form = consent.form("/consent").with("decision", decision).with("remember", "yes");
            let mut headers = EVIL_HEADERS.to_vec();
            headers.push(("sec-fetch-site", "same-origin"));
            let answer = browser.submit_with(&form, &headers).await.answer_to(REDIRECT_URI);
            assert_eq!(answer["iss"], PUBLIC_URL);
            assert!(answer.contains_key(member), "{answer:?}");
        }
        // Without a page, because consent is remembered.
        let answer = at_evil(&asking).await.answer_to(REDIRECT_URI);
        assert!(answer["iss"] == PUBLIC_URL && answer.contains_key("code"), "{answer:?}");
    }
}

/// Remembers consent, so that the app gets codes without a page.
async fn remember_everything(scene: &Scene) {
    let asking = scene.auth_request().with("prompt", "consent");
    let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
    let form = consent.form("/consent").with("remember", "yes").with("decision", "allow");
    scene.browser.submit(&form).await.answer_to(REDIRECT_URI);
}
