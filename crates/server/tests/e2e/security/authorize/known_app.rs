//! No redirect before the app and its redirect URI are verified.

use crate::e2e::app::{REDIRECT_URI, text};
use crate::e2e::browser::Browser;
use crate::e2e::security::auth_request::{AuthRequest, ask};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

const EVIL: &str = "https://evil.example/";

on_sqlite! {
    // T22
    /// MCP 2026-07-28, Security Considerations, Open Redirection.
    async fn an_unverified_app_gets_an_error_page_and_no_redirect(world: World) {
        let scene = Scene::new(world);
        let service = scene.world.json(&[
            "client", "create", "--name", "Backend", "--service", "--scope", "sleep:write", "--json",
        ]);
        let service = text(&service, "client_id");
        let strangers = [
            "11111111-2222-4333-8444-555555555555", "no-uuid", "*", "'--", "https://evil.example/", "%00", &service,
            &scene.app.client_id.to_uppercase().replace('-', ""), &format!("{} ", scene.app.client_id),
        ];
        let asking = scene.auth_request();
        for stranger in strangers {
            for uri in [REDIRECT_URI, EVIL] {
                let asking = asking.with("client_id", stranger).with("redirect_uri", uri);
                // Whatever else is wrong, and whatever error handling the app requests.
                for asking in [asking.clone(), asking.with("response_type", "token"), asking.with("prompt", "none")] {
                    assert_leads_nowhere(&scene, &asking).await;
                }
            }
        }
        for asking in [asking.without("client_id"), asking.with("client_id", ""), asking.without("redirect_uri")] {
            assert_leads_nowhere(&scene, &asking).await;
        }
        assert_leads_nowhere(&scene, &asking.with("redirect_uri", EVIL).with("scope", "unheard-of")).await;
        scene.browser.get("/authorize").await.assert_refused(400);
        scene.world.ok(&["client", "disable", &scene.app.client_id]);
        assert_leads_nowhere(&scene, &asking).await;
        assert_leads_nowhere(&scene, &asking.with("prompt", "none")).await;
        assert_rows(&scene.world, "authorization_request", "", 0).await;
    }

    // T22
    async fn no_parameter_determines_the_redirect_target(world: World) {
        let scene = Scene::new(world);
        let names = ["next", "return_to", "returnTo", "redirect", "url", "continue", "error", "iss", "to", "callback"];
        let evil = names.iter().fold(scene.auth_request(), |asking, name| asking.with(name, EVIL));
        let sent = ask(&scene.browser, &evil).await;
        let id = sent.request_id();
        // An opaque id, and nothing else.
        assert_eq!(sent.own_location(), format!("/sign-in?request={id}"));
        let prompted = ask(&scene.browser, &evil.with("prompt", EVIL)).await;
        assert!(prompted.own_location().starts_with("/sign-in?request="), "{prompted:?}");
        let back = ask(&scene.browser, &evil.with("scope", "unheard-of")).await.answer_to(REDIRECT_URI);
        let members: Vec<&str> = back.keys().map(String::as_str).collect();
        assert_eq!(members, ["error", "error_description", "iss", "state"]);
    }

    async fn pending_requests_per_address_are_limited_before_sign_in(world: World) {
        let scene = Scene::new(world.with("RESTWELL__ACCOUNTS__APP_REQUESTS_PER_ADDRESS", "5"));
        for _ in 0..5 {
            ask(&Browser::new(&scene.server), &scene.auth_request()).await.request_id();
        }
        let refused = ask(&Browser::new(&scene.server), &scene.auth_request()).await;
        refused.assert_refused(429);
        assert!(refused.header("retry-after").is_some_and(|seconds| seconds.parse::<u32>().is_ok()), "{refused:?}");
        assert_rows(&scene.world, "authorization_request", "", 5).await;
        // After signing in, the consent page is shown as before.
        scene.browser.sign_in(&scene.person).await;
        assert!(ask(&scene.browser, &scene.auth_request()).await.own_location().starts_with("/consent?request="));
    }

    // T22
    async fn signing_in_never_redirects_to_another_site(world: World) {
        let scene = Scene::new(world);
        let (browser, person) = (&scene.browser, &scene.person);
        let evil = ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/apps", "Apps"];
        for evil in evil {
            for name in ["to", "next", "return_to", "request"] {
                let query: String = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, evil).finish();
                let page = browser.open(&format!("/sign-in?{query}")).await;
                assert!(!page.body.contains("evil"), "{page:?}");
                let form = person.credentials(&page.form("/sign-in"));
                let answer = browser.submit(&form.with(name, evil)).await;
                assert_eq!(answer.own_location(), "/", "{name}={evil}");
                browser.submit(&browser.open("/apps").await.form("/sign-out")).await;
            }
        }
        for name in ["apps", "tokens", "activity", "account"] {
            let page = browser.open(&format!("/sign-in?to={name}")).await;
            let answer = browser.submit(&person.credentials(&page.form("/sign-in"))).await;
            assert_eq!(answer.own_location(), format!("/{name}"));
            browser.submit(&browser.open("/apps").await.form("/sign-out")).await;
        }
    }
}

async fn assert_leads_nowhere(scene: &Scene, asking: &AuthRequest) {
    let page = ask(&scene.browser, asking).await;
    page.assert_refused(400);
    assert!(!page.body.contains("evil") && !page.body.contains("example.org"), "{page:?}");
}
