//! A decision applies once, to the stored request, its person and its browser.

use crate::e2e::app::{REDIRECT_URI, SCOPES, text};
use crate::e2e::browser::{Browser, Page, PageForm};
use crate::e2e::person::{Person, app_of};
use crate::e2e::security::auth_request::{AuthRequest, allow, ask, reach_consent};
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::security::party::with_one_address;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

const OTHER_URI: &str = "https://other.example.org/callback";

on_sqlite! {
    async fn the_page_links_to_the_registered_pages_of_the_app(world: World) {
        let scene = Scene::new(world);
        let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
        assert!(!consent.body.contains("About this app"), "{consent:?}");
        let arguments = ["client", "update", &scene.app.client_id, "--home-page", "https://owl.example/",
            "--privacy-policy", "https://owl.example/privacy"];
        scene.world.ok(&arguments);
        let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
        for link in ["href=\"https://owl.example/\">About this app", "href=\"https://owl.example/privacy\">Its privacy policy"] {
            assert!(consent.body.contains(link), "{consent:?}");
        }
    }

    // T29
    async fn additional_form_fields_change_nothing(world: World) {
        let scene = Scene::new(world);
        let other = app_of(&scene.world, &scene.person, &["--name", "Other", "--redirect-uri", OTHER_URI]);
        let asking = scene.auth_request().with("scope", "sleep");
        let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
        let form = consent.form("/consent").with("decision", "allow");
        // An unknown field ends the request before anything is decided.
        for scope in ["unheard-of", "Sleep", "sleep profile", "", "*"] {
            scene.browser.submit(&form.and("scope", scope)).await.assert_refused(400);
        }
        for broken in [
            form.without("decision"), form.with("decision", ""), form.with("decision", "ALLOW"), form.and("decision", "deny"),
            form.without("request"), form.with("request", "x"), form.with("request", "'--"),
            form.and("request", form.value("request")), form.with("request", "11111111-2222-4333-8444-555555555555"),
        ] {
            scene.browser.submit(&broken).await.assert_refused(400);
        }
        let tampered = form
            .and("client_id", &other.client_id)
            .and("redirect_uri", OTHER_URI)
            .and("state", "forged")
            .and("user_id", "11111111-2222-4333-8444-555555555555")
            .and("response_type", "token")
            .tick("scope", &["profile", "sleep", "supplements"]);
        let answer = scene.browser.submit(&tampered).await.answer_to(REDIRECT_URI);
        assert_eq!(answer["state"], "a state");
        let caller = Caller::new(&scene.server);
        let at_other = Form::of_code(&other, &answer["code"]).with("redirect_uri", OTHER_URI);
        caller.post("/api/token", &at_other).await.assert_error(400, "invalid_grant");
        let reply = caller.redeem(&scene.app, &answer["code"]).await;
        reply.tokens();
        assert_eq!((reply.member("scope"), reply.member("user_id")), ("sleep".to_owned(), scene.person.user_id.clone()));
    }

    // T29
    async fn the_grant_has_the_scopes_that_are_ticked_requested_and_allowed(world: World) {
        let scene = Scene::new(world);
        let asking = scene.auth_request().with("scope", "profile sleep");
        assert_eq!(grant(&scene, &asking, &["sleep"]).await, "sleep");
        assert_eq!(grant(&scene, &asking, &["sleep", "supplements"]).await, "sleep");
        assert_eq!(grant(&scene, &asking, &["sleep", "sleep", "profile"]).await, "profile sleep");
        assert_eq!(grant(&scene, &scene.auth_request(), &["sleep", "sleep:write", "users:write"]).await, "sleep");
        // Meanwhile the operator removes a scope.
        let consent = reach_consent(&scene.browser, &asking, &scene.person).await;
        let alone = reach_consent(&scene.browser, &asking.with("scope", "profile"), &scene.person).await;
        let client = &scene.app.client_id;
        scene.world.ok(&["client", "update", client, "--scope", "sleep", "--scope", "supplements"]);
        let sent = allow(&scene.browser, &consent, &["profile", "sleep", "supplements"]).await;
        assert_eq!(redeemed_scope(&scene, &sent).await, "sleep");
        let refused = allow(&scene.browser, &alone, &["profile"]).await.answer_to(REDIRECT_URI);
        assert_eq!(refused["error"], "access_denied");
        let page = scene.browser.follow(&ask(&scene.browser, &asking.with("scope", "sleep")).await).await;
        assert_eq!(page.form("/consent").values("scope"), ["sleep"]);
    }

    // T29
    async fn scopes_and_uris_removed_meanwhile_are_not_granted(world: World) {
        let scene = Scene::new(world);
        let client = &scene.app.client_id;
        let uri = ["client", "update", client, "--redirect-uri"];
        for (change, back) in [
            (&[&uri[..], &[OTHER_URI]].concat()[..], &[&uri[..], &[REDIRECT_URI]].concat()[..]),
            (&["client", "disable", client], &["client", "enable", client]),
        ] {
            let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
            scene.world.ok(change);
            // Not reported to the app: the redirect URI is no longer registered.
            allow(&scene.browser, &consent, &SCOPES).await.assert_refused(400);
            let form = consent.form("/consent").with("decision", "deny");
            scene.browser.submit(&form).await.assert_refused(400);
            scene.world.ok(back);
            assert!(allow(&scene.browser, &consent, &SCOPES).await.answer_to(REDIRECT_URI).contains_key("code"));
        }
        let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
        scene.world.ok(&["user", "lock", &scene.person.user_id]);
        allow(&scene.browser, &consent, &SCOPES).await.assert_refused(403);
        assert_rows(&scene.world, "authorization_code", "", 2).await;
    }

    // T29
    async fn only_one_of_many_concurrent_decisions_applies(world: World) {
        let scene = Scene::new(with_one_address(world));
        let second = scene.world.serve_as("second");
        let browsers = [scene.browser.clone(), scene.browser.at(&second)];
        for round in 1..=3 {
            let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
            let form = consent.form("/consent");
            let tasks: Vec<_> = (0..12_usize).map(|number| {
                let decision = if number % 3 == 0 { "deny" } else { "allow" };
                let (browser, form) = (browsers[number % 2].clone(), form.with("decision", decision));
                tokio::spawn(async move { browser.submit(&form).await })
            }).collect();
            let mut decided = 0;
            for task in tasks {
                let page = task.await.expect("page");
                if page.status == 303 {
                    page.answer_to(REDIRECT_URI);
                    decided += 1;
                } else {
                    page.assert_refused(400);
                }
            }
            assert_eq!(decided, 1, "round {round}");
        }
    }

    // T29
    async fn another_person_or_browser_can_neither_open_nor_decide_a_request(world: World) {
        let scene = Scene::new(world);
        let stranger = Person::create(&scene.world, "stranger@example.org");
        let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
        let (id, path) = (consent.form("/consent").value("request").to_owned(), consent_path(&consent));

        // Another person in another browser, with a form of theirs.
        let other = Browser::new(&scene.server);
        let own = reach_consent(&other, &scene.auth_request(), &stranger).await;
        let own = own.form("/consent");
        assert_cannot_touch(&other, &path, &own.with("request", &id)).await;
        // The same person in another browser: a stolen link to the page is useless.
        let elsewhere = Browser::new(&scene.server);
        let form = reach_consent(&elsewhere, &scene.auth_request(), &scene.person).await.form("/consent");
        assert_cannot_touch(&elsewhere, &path, &form.with("request", &id)).await;
        // Another person in the same browser.
        scene.browser.submit(&consent.form("/sign-out")).await;
        let signed_out = scene.browser.get(&path).await;
        assert_eq!(signed_out.own_location(), format!("/sign-in?request={id}"));
        scene.browser.sign_in(&stranger).await;
        let form = reach_consent(&scene.browser, &scene.auth_request(), &stranger).await.form("/consent");
        assert_cannot_touch(&scene.browser, &path, &form.with("request", &id)).await;

        assert_rows(&scene.world, "authorization_request", "WHERE decided_at IS NOT NULL", 0).await;
        assert_rows(&scene.world, "authorization_code", "", 0).await;
        // The owner of the request can still decide it.
        scene.browser.submit(&scene.browser.open("/apps").await.form("/sign-out")).await;
        scene.browser.sign_in(&scene.person).await;
        let consent = scene.browser.open(&path).await;
        let answer = allow(&scene.browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI);
        let tokens = Caller::new(&scene.server).redeem(&scene.app, &answer["code"]).await;
        assert_eq!(text(&tokens.json(), "user_id"), scene.person.user_id);
    }

    // T29
    async fn a_request_cannot_be_decided_before_it_is_opened(world: World) {
        let scene = Scene::new(world);
        let sent = ask(&scene.browser, &scene.auth_request()).await;
        let other = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
        let form = other.form("/consent").with("request", &sent.request_id());
        scene.browser.submit(&form.with("decision", "allow")).await.assert_refused(403);
        assert_rows(&scene.world, "authorization_code", "", 0).await;
    }
}

fn consent_path(consent: &Page) -> String {
    format!("/consent?request={}", consent.form("/consent").value("request"))
}

async fn assert_cannot_touch(browser: &Browser, path: &str, form: &PageForm) {
    browser.get(path).await.assert_refused(403);
    for decision in ["allow", "deny"] {
        browser.submit(&form.with("decision", decision)).await.assert_refused(403);
    }
}

async fn grant(scene: &Scene, asking: &AuthRequest, ticked: &[&str]) -> String {
    let consent = reach_consent(&scene.browser, asking, &scene.person).await;
    redeemed_scope(scene, &allow(&scene.browser, &consent, ticked).await).await
}

async fn redeemed_scope(scene: &Scene, sent: &Page) -> String {
    let answer = sent.answer_to(REDIRECT_URI);
    Caller::new(&scene.server).redeem(&scene.app, &answer["code"]).await.member("scope")
}
