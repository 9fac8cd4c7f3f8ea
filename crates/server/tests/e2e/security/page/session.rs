//! Sessions: no fixation, renewed at sign-in, ended everywhere.

use crate::e2e::browser::{Browser, SESSION, VISIT};
use crate::e2e::person::Person;
use crate::e2e::security::auth_request::ask;
use crate::e2e::security::party::with_one_address;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use std::collections::BTreeSet;

/// With a request id, the page is shown to signed-in browsers too.
const REQUEST: &str = "/sign-in?request=11111111-2222-4333-8444-555555555555";
const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

on_sqlite! {
    // T30
    async fn a_planted_session_is_never_adopted(world: World) {
        let scene = Scene::new(world);
        let attacker = Person::create(&scene.world, "attacker@example.org");
        let theirs = Browser::new(&scene.server);
        theirs.sign_in(&attacker).await;
        let live = theirs.session();
        // One that was valid once, and others that never were.
        let dead = Browser::new(&scene.server);
        dead.sign_in(&attacker).await;
        let ended = dead.session();
        dead.submit(&dead.open("/apps").await.form("/sign-out")).await;
        let visit = Browser::new(&scene.server);
        visit.open("/sign-in").await;
        let invented = [ended.clone(), visit.cookie(VISIT).expect("visit"), "x".to_owned(), format!("{live}x"), String::new()];
        let mut seen = BTreeSet::from([live.clone(), ended]);
        for planted in invented.into_iter().chain([live.clone()]) {
            let victim = Browser::new(&scene.server);
            victim.plant(SESSION, &planted);
            let page = victim.get("/sign-in?to=apps").await;
            // A browser with the attacker's session is redirected; with a request id it gets the form.
            let page = if page.status == 303 { victim.open(REQUEST).await } else { page };
            let answer = victim.submit(&scene.person.credentials(&page.form("/sign-in"))).await;
            assert_eq!(answer.own_location().split('?').next(), Some(if planted == live { "/consent" } else { "/apps" }));
            assert!(seen.insert(victim.session()), "a session was used again");
            assert_ne!(victim.session(), planted);
            assert!(victim.open("/account").await.text().contains(&scene.person.email));
        }
        // The attacker's session ended when the victim signed in; it does not show the victim's account.
        assert!(!theirs.is_signed_in().await);
    }

    // T30
    async fn cookies_from_before_the_sign_in_are_no_session(world: World) {
        let scene = Scene::new(world);
        scene.browser.open("/sign-in").await;
        let visit = scene.browser.cookie(VISIT).expect("visit");
        scene.browser.sign_in(&scene.person).await;
        let session = scene.browser.session();
        assert_ne!(session, visit);
        let watcher = Browser::new(&scene.server);
        watcher.plant(SESSION, &visit);
        watcher.plant(VISIT, &visit);
        assert!(!watcher.is_signed_in().await);
        // Signing in again creates a new session and ends the previous one.
        let before = scene.browser.twin();
        let page = scene.browser.follow(&ask(&scene.browser, &scene.auth_request().with("prompt", "login")).await).await;
        scene.browser.submit(&scene.person.credentials(&page.form("/sign-in"))).await.own_location();
        assert_ne!(scene.browser.session(), session);
        assert!(!before.is_signed_in().await);
        assert_rows(&scene.world, "session", "", 1).await;
    }

    // T30
    async fn a_new_password_creates_a_new_session_and_ends_all_others(world: World) {
        let scene = Scene::new(with_one_address(world));
        let second = scene.world.serve_as("second");
        let other = Browser::new(&second);
        scene.browser.sign_in(&scene.person).await;
        other.sign_in(&scene.person).await;
        let before = scene.browser.twin();
        let form = scene.browser.open("/account").await.form("/account/password").with("new_password", NEW_PASSWORD);
        for wrong in ["", "a wrong password", NEW_PASSWORD] {
            scene.browser.submit(&form.with("current_password", wrong)).await.assert_refused(422);
        }
        assert!(other.is_signed_in().await);
        let answer = scene.browser.submit(&form.with("current_password", &scene.person.password)).await;
        assert_eq!(answer.own_location(), "/account?done=password");
        assert_ne!(scene.browser.session(), before.session());
        // At once, on either server: sessions are not cached.
        for browser in [&before, &before.at(&second), &other, &other.at(&scene.server)] {
            assert!(!browser.is_signed_in().await);
        }
        assert!(scene.browser.is_signed_in().await && scene.browser.at(&second).is_signed_in().await);
        let page = other.open("/sign-in").await;
        other.submit(&scene.person.credentials(&page.form("/sign-in"))).await.assert_refused(422);
        let changed = Person { password: NEW_PASSWORD.to_owned(), ..scene.person.clone() };
        other.sign_in(&changed).await;
    }

    // T31
    async fn signing_out_ends_the_session_on_every_server(world: World) {
        let scene = Scene::new(with_one_address(world));
        let second = scene.world.serve_as("second");
        let user = scene.person.user_id.as_str();
        let other = Browser::new(&second);
        for way in ["here", "everywhere", "operator", "lock"] {
            scene.browser.sign_in(&scene.person).await;
            other.sign_in(&scene.person).await;
            assert!(scene.browser.at(&second).is_signed_in().await, "one server does not know the other's sessions");
            let copies = [scene.browser.twin(), scene.browser.twin().at(&second)];
            let others = [other.twin(), other.twin().at(&scene.server)];
            match way {
                "here" => {
                    let page = scene.browser.submit(&scene.browser.open("/apps").await.form("/sign-out")).await;
                    assert_eq!((page.status, scene.browser.cookie(SESSION)), (200, None));
                }
                "everywhere" => {
                    let form = scene.browser.open("/account").await.form("/account/sign-out-everywhere");
                    assert_eq!(scene.browser.submit(&form).await.status, 200);
                }
                "operator" => assert_eq!(scene.world.json(&["session", "revoke", user, "--json"])["revoked"], 2),
                _ => drop(scene.world.ok(&["user", "lock", user])),
            }
            for copy in &copies {
                assert!(!copy.is_signed_in().await, "{way}: the cookie counts still");
            }
            for other in &others {
                assert_eq!(other.is_signed_in().await, way == "here", "{way}");
            }
            if way == "here" {
                other.submit(&other.open("/apps").await.form("/sign-out")).await;
            }
        }
        // Unlocking the account does not restore its sessions.
        scene.world.ok(&["user", "unlock", user]);
        assert!(!scene.browser.is_signed_in().await && !other.is_signed_in().await);
        scene.browser.sign_in(&scene.person).await;
    }

    // T32
    async fn every_form_endpoint_returns_a_page_or_a_303_without_secrets(world: World) {
        let scene = Scene::new(world);
        let sent = ask(&scene.browser, &scene.auth_request()).await;
        let page = scene.browser.follow(&sent).await;
        let form = scene.person.credentials(&page.form("/sign-in"));
        let signed_in = scene.browser.submit(&form).await;
        // The harness rejects every other redirect than a 303, with which a browser does not resend the form.
        assert_eq!(signed_in.status, 303);
        let consent = scene.browser.follow(&signed_in).await;
        let decided = scene.browser.submit(&consent.form("/consent").with("decision", "allow")).await;
        let account = scene.browser.open("/account").await;
        let change = account.form("/account/password").with("new_password", NEW_PASSWORD);
        let changed = scene.browser.submit(&change.with("current_password", &scene.person.password)).await;
        for (page, name) in [(&signed_in, "sign-in"), (&decided, "consent"), (&changed, "password")] {
            let location = page.location();
            let token = form.value("form_token");
            for secret in ["otters", "lanterns", "sleeper", "rwe_", "rwv_", token, &scene.browser.session()] {
                assert!(!location.contains(secret), "{name} leads to {location}");
            }
            assert_eq!(page.header("refresh"), None);
        }
    }
}
