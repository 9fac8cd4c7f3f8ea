//! When the consent page is shown.

use crate::e2e::app::REDIRECT_URI;
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::{Person, app_of};
use crate::e2e::security::auth_request::{AuthRequest, ask, reach_consent};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use chrono::TimeDelta;

on_sqlite! {
    // T34
    async fn only_remembered_consent_skips_the_page_and_never_for_more_scopes(world: World) {
        let scene = Scene::new(world);
        let sleep = scene.auth_request().with("scope", "sleep");
        // Allowed without being remembered: shown again.
        decide(&scene, &sleep, &["sleep"], false).await;
        assert!(is_asked(&scene, &sleep).await);
        decide(&scene, &sleep, &["sleep"], true).await;
        assert!(!is_asked(&scene, &sleep).await);
        for wider in ["profile sleep", "sleep supplements", "profile", "profile sleep supplements"] {
            assert!(is_asked(&scene, &sleep.with("scope", wider)).await, "{wider}");
        }
        // Without a scope an app requests every scope that it may have.
        assert!(is_asked(&scene, &sleep.without("scope")).await);
        // Neither another app nor another person inherits it.
        let other = app_of(&scene.world, &scene.person, &["--name", "Other", "--redirect-uri", REDIRECT_URI]);
        assert!(is_asked(&scene, &AuthRequest::new(&other).with("scope", "sleep")).await);
        let stranger = Person::create(&scene.world, "stranger@example.org");
        let browser = Browser::new(&scene.server);
        reach_consent(&browser, &sleep, &stranger).await;
        // Consent to a part is not consent to the whole, now or later.
        decide(&scene, &sleep.with("scope", "profile sleep"), &["sleep"], true).await;
        assert!(is_asked(&scene, &sleep.with("scope", "profile sleep")).await);
    }

    // T34
    async fn denying_ends_an_earlier_consent(world: World) {
        let scene = Scene::new(world);
        let sleep = scene.auth_request().with("scope", "sleep");
        decide(&scene, &sleep, &["sleep"], true).await;
        let consent = reach_consent(&scene.browser, &sleep.with("prompt", "consent"), &scene.person).await;
        scene.browser.submit(&consent.form("/consent").with("decision", "deny")).await.answer_to(REDIRECT_URI);
        assert!(is_asked(&scene, &sleep).await);
        // As does disconnecting the app.
        decide(&scene, &sleep, &["sleep"], true).await;
        let apps = scene.browser.open("/apps").await;
        scene.browser.submit(&apps.forms("/apps/disconnect")[0]).await;
        assert_rows(&scene.world, "consent", "", 0).await;
        assert!(is_asked(&scene, &sleep).await);
    }

    // T34
    async fn prompt_none_shows_no_page_and_requires_remembered_consent(world: World) {
        let scene = Scene::new(world);
        let silent = scene.auth_request().with("scope", "sleep").with("prompt", "none");
        assert_eq!(error(&ask(&scene.browser, &silent).await), "login_required");
        scene.browser.sign_in(&scene.person).await;
        assert_eq!(error(&ask(&scene.browser, &silent).await), "consent_required");
        assert_rows(&scene.world, "authorization_request", "", 0).await;
        decide(&scene, &silent.without("prompt"), &["sleep"], true).await;
        assert!(ask(&scene.browser, &silent).await.answer_to(REDIRECT_URI).contains_key("code"));
        assert_eq!(error(&ask(&scene.browser, &silent.with("scope", "sleep profile")).await), "consent_required");
        // Neither an ended session nor a locked account is signed in.
        scene.world.ok(&["user", "lock", &scene.person.user_id]);
        assert_eq!(error(&ask(&scene.browser, &silent).await), "login_required");
        scene.world.ok(&["user", "unlock", &scene.person.user_id]);
        scene.world.ok(&["session", "revoke", &scene.person.user_id]);
        assert_eq!(error(&ask(&scene.browser, &silent).await), "login_required");
    }

    // T34
    async fn prompt_login_and_prompt_consent_show_their_pages_despite_remembered_consent(world: World) {
        let scene = Scene::new(world);
        let sleep = scene.auth_request().with("scope", "sleep");
        decide(&scene, &sleep, &["sleep"], true).await;
        scene.world.advance(TimeDelta::minutes(1));
        for prompt in ["login", "select_account"] {
            let sent = ask(&scene.browser, &sleep.with("prompt", prompt)).await;
            assert!(sent.own_location().starts_with("/sign-in?request="), "{sent:?}");
            // The password cannot be bypassed.
            let around = scene.browser.get(&format!("/consent?request={}", sent.request_id())).await;
            assert_eq!(around.own_location(), format!("/sign-in?request={}", sent.request_id()));
            let page = scene.browser.follow(&sent).await;
            let form = page.form("/sign-in");
            let wrong = scene.browser.submit(&form.with("email", &scene.person.email).with("password", "wrong")).await;
            assert_eq!(wrong.status, 422, "{wrong:?}");
            let signed_in = scene.browser.submit(&scene.person.credentials(&form)).await;
            // Then the remembered consent applies.
            assert!(scene.browser.follow(&signed_in).await.answer_to(REDIRECT_URI).contains_key("code"));
            scene.world.advance(TimeDelta::minutes(1));
        }
        let sent = ask(&scene.browser, &sleep.with("prompt", "consent")).await;
        assert!(sent.own_location().starts_with("/consent?request="), "{sent:?}");
        assert_eq!(scene.browser.follow(&sent).await.status, 200);
        let both = ask(&scene.browser, &sleep.with("prompt", "consent login")).await;
        let page = scene.browser.follow(&both).await;
        let signed_in = scene.browser.submit(&scene.person.credentials(&page.form("/sign-in"))).await;
        assert_eq!(scene.browser.follow(&signed_in).await.status, 200);
    }
}

fn error(page: &Page) -> String {
    let answer = page.answer_to(REDIRECT_URI);
    assert!(!answer.contains_key("code"), "{answer:?}");
    answer["error"].clone()
}

async fn decide(scene: &Scene, asking: &AuthRequest, ticked: &[&str], remember: bool) {
    let consent = reach_consent(&scene.browser, asking, &scene.person).await;
    let form = consent.form("/consent").tick("scope", ticked).with("decision", "allow");
    let form = if remember { form.with("remember", "yes") } else { form };
    assert!(scene.browser.submit(&form).await.answer_to(REDIRECT_URI).contains_key("code"));
}

/// Returns whether the signed-in person is shown a page.
async fn is_asked(scene: &Scene, asking: &AuthRequest) -> bool {
    let sent = ask(&scene.browser, asking).await;
    if sent.location().starts_with("/consent?request=") {
        assert_eq!(scene.browser.follow(&sent).await.status, 200);
        return true;
    }
    assert!(sent.answer_to(REDIRECT_URI).contains_key("code"));
    false
}
