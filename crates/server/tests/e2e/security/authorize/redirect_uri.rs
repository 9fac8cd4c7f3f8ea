//! Redirect URIs are compared exactly, byte by byte.

use crate::e2e::app::{REDIRECT_URI, SCOPES};
use crate::e2e::browser::Browser;
use crate::e2e::security::auth_request::{AuthRequest, ask, reach_consent};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

/// Suffixes of the registered URI.
const SUFFIXES: [&str; 18] = [
    "/",
    "?x=1",
    "?",
    "#f",
    "#",
    "/..%2f",
    "/../callback",
    "%00",
    "\0",
    ".evil",
    "@evil.example",
    "\\evil",
    " ",
    "\t",
    "\n",
    "\r\n",
    "%20",
    "%0a",
];

/// Lookalikes of the registered URI.
const LOOKALIKES: [&str; 28] = [
    "https://APP.example.org/callback",
    "HTTPS://app.example.org/callback",
    "https://app.example.org/Callback",
    "http://app.example.org/callback",
    "https://app.example.org:443/callback",
    "https://app.example.org:8443/callback",
    "https://app.example.org./callback",
    "https://app.example.org.evil.example/callback",
    "https://evil.example/callback",
    "https://evil.example/https://app.example.org/callback",
    "https://evil.example#https://app.example.org/callback",
    "https://app.example.org@evil.example/callback",
    "https://user@app.example.org/callback",
    "https://xapp.example.org/callback",
    "https://*.example.org/callback",
    "https://\u{430}pp.example.org/callback",
    "https://app\u{3002}example.org/callback",
    "https://app.example.org\\evil.example/callback",
    "https:\\\\app.example.org\\callback",
    "\\\\evil.example/callback",
    "//app.example.org/callback",
    "/callback",
    "app.example.org/callback",
    "https://app.example.org/%63allback",
    "https://app.example.org/%2563allback",
    "https%3A%2F%2Fapp.example.org%2Fcallback",
    " https://app.example.org/callback",
    "javascript:alert(1)//https://app.example.org/callback",
];

on_sqlite! {
    // T20
    /// MCP 2026-07-28, Security Considerations, Open Redirection.
    async fn an_unregistered_redirect_uri_gets_an_error_page_and_stores_nothing(world: World) {
        let scene = Scene::new(world);
        let asking = scene.auth_request();
        for uri in wrong_uris() {
            assert_leads_nowhere(&scene.browser, &asking.with("redirect_uri", &uri)).await;
        }
        assert_leads_nowhere(&scene.browser, &asking.without("redirect_uri")).await;
        for table in ["authorization_request", "authorization_code"] {
            assert_rows(&scene.world, table, "", 0).await;
        }
        // Nor if no page would be shown: a mistake would issue a code at once.
        let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
        let form = consent.form("/consent").tick("scope", &SCOPES).with("remember", "yes").with("decision", "allow");
        scene.browser.submit(&form).await.answer_to(REDIRECT_URI);
        for uri in wrong_uris() {
            assert_leads_nowhere(&scene.browser, &asking.with("redirect_uri", &uri)).await;
        }
        assert_rows(&scene.world, "authorization_request", "", 1).await;
        assert_rows(&scene.world, "authorization_code", "", 1).await;
        // The registered one gets a code at once.
        assert!(ask(&scene.browser, &asking).await.answer_to(REDIRECT_URI).contains_key("code"));
    }

    // T20
    /// MCP 2026-07-28, Security Considerations, Open Redirection.
    async fn malformed_text_is_not_a_redirect_uri(world: World) {
        let scene = Scene::new(world);
        let rest = scene.auth_request().without("redirect_uri").path();
        let good = "https%3A%2F%2Fapp.example.org%2Fcallback";
        for raw in [
            "%ff", "%", "%2", "%zz", "%00", "%0d%0aLocation:%20https://evil.example/", "%e2%80%ae", "%c0%ae",
        ] {
            let page = scene.browser.get(&format!("{rest}&redirect_uri={good}{raw}")).await;
            page.assert_refused(400);
        }
        for name in ["Redirect_uri", "redirect_uri[]", "redirectUri", "REDIRECT_URI"] {
            scene.browser.get(&format!("{rest}&{name}={good}")).await.assert_refused(400);
        }
        assert_rows(&scene.world, "authorization_request", "", 0).await;
    }
}

fn wrong_uris() -> Vec<String> {
    let suffixed = SUFFIXES.iter().map(|suffix| format!("{REDIRECT_URI}{suffix}"));
    let shorter = ["", "h", "https://", "https://app.example.org", "https://app.example.org/"];
    let shorter = shorter.into_iter().chain(["https://app.example.org/callbac"]);
    suffixed.chain(LOOKALIKES.into_iter().chain(shorter).map(str::to_owned)).collect()
}

async fn assert_leads_nowhere(browser: &Browser, asking: &AuthRequest) {
    let page = ask(browser, asking).await;
    page.assert_refused(400);
    assert!(!page.body.contains("evil") && !page.body.contains("example.org"), "{asking:?}: {page:?}");
}
