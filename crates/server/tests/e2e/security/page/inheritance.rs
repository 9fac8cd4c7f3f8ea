//! A new person with the address of a deleted one inherits nothing.

use super::token::make_token;
use crate::e2e::app::{REDIRECT_URI, Registration, text};
use crate::e2e::browser::{Browser, SESSION};
use crate::e2e::person::Person;
use crate::e2e::security::auth_request::{allow, ask, reach_consent};
use crate::e2e::security::caller::Caller;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

on_sqlite! {
    // T59, T67
    async fn a_new_person_with_the_same_address_inherits_nothing(world: World) {
        let scene = Scene::new(world.with("RESTWELL__TOKENS__ACCESS_CACHE_MILLISECONDS", "0"));
        let (browser, person) = (&scene.browser, &scene.person);
        let caller = Caller::new(&scene.server);
        let link = scene.world.json(&["user", "reset-password", &person.user_id, "--json"]);
        let link = text(&link, "password_link");
        let (_, link) = link.split_once("/set-password").expect("a link");
        let consent = reach_consent(browser, &scene.auth_request(), person).await;
        let form = consent.form("/consent").with("remember", "yes").with("decision", "allow");
        let code = browser.submit(&form).await.answer_to(REDIRECT_URI)["code"].clone();
        let tokens = caller.redeem(&scene.app, &code).await.tokens();
        let unused = ask(browser, &scene.auth_request()).await.answer_to(REDIRECT_URI)["code"].clone();
        let personal = make_token(browser, "mine", &["profile"]).await;
        let waiting = reach_consent(browser, &scene.auth_request().with("prompt", "consent"), person).await;
        let old_cookie = browser.session();

        scene.world.ok(&["user", "delete", &person.user_id, "--yes"]);
        let heir = Person::create(&scene.world, &person.email);
        assert_ne!(heir.user_id, person.user_id);
        for table in [
            "session", "personal_token", "access_grant", "authorization_code", "authorization_request", "consent",
            "password_link",
        ] {
            assert_rows(&scene.world, table, "", 0).await;
        }
        let as_heir = Registration { user_id: heir.user_id.clone(), ..scene.app.clone() };
        for registration in [&scene.app, &as_heir] {
            for token in [&tokens.access, &personal] {
                caller.read_profile(token, registration).await.assert_problem(401, "invalid_token");
            }
            caller.refresh(registration, &tokens.refresh).await.assert_error(400, "invalid_grant");
            caller.redeem(registration, &unused).await.assert_error(400, "invalid_grant");
        }
        browser.get(&format!("/set-password{link}")).await.assert_refused(400);
        assert!(!browser.is_signed_in().await);
        allow(browser, &waiting, &["profile"]).await.assert_refused(403);

        // Signed in as the new person, in the same browser: consent is required again, and no old data is
        // shown.
        browser.sign_in(&heir).await;
        allow(browser, &waiting, &["profile"]).await.assert_refused(403);
        let sent = ask(browser, &scene.auth_request()).await;
        assert!(sent.own_location().starts_with("/consent?request="), "{sent:?}");
        assert!(browser.open("/apps").await.text().contains("No connected apps"));
        let activity = browser.open("/activity").await.text();
        assert!(activity.contains("The operator created your account"), "{activity}");
        assert!(!activity.contains("read your"), "{activity}");
        assert!(!browser.open("/tokens").await.text().contains("mine"));
        let thief = Browser::new(&scene.server);
        thief.plant(SESSION, &old_cookie);
        assert!(!thief.is_signed_in().await);
    }

    // T67
    async fn changing_the_address_keeps_the_person(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let personal = make_token(&scene.browser, "mine", &["profile"]).await;
        scene.world.ok(&["user", "update", &scene.person.user_id, "--email", "moved@example.org"]);
        let squatter = Person::create(&scene.world, &scene.person.email);
        let other = Browser::new(&scene.server);
        other.sign_in(&squatter).await;
        assert!(!other.open("/tokens").await.text().contains("mine"));
        assert!(scene.browser.open("/account").await.text().contains("moved@example.org"));
        assert_eq!(Caller::new(&scene.server).read_profile(&personal, &scene.app).await.status, 200);
        let moved = Person { email: "MOVED@example.org".to_owned(), ..scene.person.clone() };
        Browser::new(&scene.server).sign_in(&moved).await;
    }
}
