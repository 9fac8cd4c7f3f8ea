//! A code is valid only as long as the consent behind it.

use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES};
use crate::e2e::browser::{Browser, PageForm};
use crate::e2e::person::{Person, app_of, type_password};
use crate::e2e::security::auth_request::{AuthRequest, allow, reach_consent};
use crate::e2e::security::caller::Caller;
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;

const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

on_sqlite! {
    // T17
    async fn a_pending_code_is_invalidated_by_changes_to_its_person(world: World) {
        let scene = Scene::new(world);
        for (number, fate) in ["lock", "delete"].into_iter().enumerate() {
            let person = Person::create(&scene.world, &format!("{fate}{number}@example.org"));
            let code = code_of(&Browser::new(&scene.server), &scene.app, &person).await;
            let mut command = vec!["user", fate, &person.user_id];
            command.extend((fate == "delete").then_some("--yes"));
            scene.world.ok(&command);
            assert_dead(&scene, &code).await;
        }
        let (user, client) = (scene.person.user_id.as_str(), scene.app.client_id.as_str());
        for command in [
            &["grant", "revoke", "--user", user][..], &["grant", "revoke", "--user", user, "--client", client],
        ] {
            // There is something to revoke.
            let tokens = code_of(&scene.browser, &scene.app, &scene.person).await;
            Caller::new(&scene.server).redeem(&scene.app, &tokens).await.tokens();
            let code = code_of(&scene.browser, &scene.app, &scene.person).await;
            scene.world.ok(command);
            assert_dead(&scene, &code).await;
        }
        let code = code_of(&scene.browser, &scene.app, &scene.person).await;
        scene.world.ok(&["client", "disable", client]);
        let refused = Caller::new(&scene.server).redeem(&scene.app, &code).await;
        refused.assert_error(401, "invalid_client");
    }

    // T17
    async fn a_pending_code_is_invalidated_by_a_password_change(world: World) {
        let scene = Scene::new(world);
        let mut person = scene.person.clone();
        let code = code_of(&scene.browser, &scene.app, &person).await;
        let form = scene.browser.open("/account").await.form("/account/password");
        let form = form.with("current_password", &person.password).with("new_password", NEW_PASSWORD);
        assert_eq!(scene.browser.submit(&form).await.own_location(), "/account?done=password");
        NEW_PASSWORD.clone_into(&mut person.password);
        assert_dead(&scene, &code).await;

        let code = code_of(&scene.browser, &scene.app, &person).await;
        let reset = ["user", "reset-password", &person.user_id, "--json"];
        let link = scene.world.json(&reset);
        // A link alone changes nothing yet.
        let link = link["password_link"].as_str().expect("a link").to_owned();
        let page = Browser::new(&scene.server);
        let shown = page.open(path_of(&link)).await;
        let form = shown.form("/set-password").with("password", &scene.person.password);
        assert_eq!(page.submit(&form).await.status, 200);
        person.password.clone_from(&scene.person.password);
        assert_dead(&scene, &code).await;

        let code = code_of(&scene.browser, &scene.app, &person).await;
        type_password(&scene.world, &[&reset[..], &["--password-stdin"]].concat(), NEW_PASSWORD);
        assert_dead(&scene, &code).await;
    }

    // T17
    async fn a_pending_code_is_invalidated_by_disconnecting_the_app(world: World) {
        let scene = Scene::new(world);
        let other = app_of(&scene.world, &scene.person, &["--name", "Other", "--redirect-uri", REDIRECT_URI]);
        for all in [false, true] {
            for app in [&scene.app, &other] {
                let held = code_of(&scene.browser, app, &scene.person).await;
                Caller::new(&scene.server).redeem(app, &held).await.tokens();
            }
            let code = code_of(&scene.browser, &scene.app, &scene.person).await;
            let apps = scene.browser.open("/apps").await;
            let fits = |form: &PageForm| {
                if all { form.values("all") == ["yes"] } else { form.values("client") == [scene.app.client_id.as_str()] }
            };
            let form = apps.forms("/apps/disconnect").into_iter().find(fits).expect("a form");
            assert_eq!(scene.browser.submit(&form).await.own_location(), "/apps?done=disconnected");
            assert_dead(&scene, &code).await;
        }
    }
}

fn path_of(link: &str) -> &str {
    let place = link.find("/set-password").unwrap_or_else(|| panic!("no link: {link}"));
    link.get(place..).expect("a path")
}

async fn code_of(browser: &Browser, app: &Registration, person: &Person) -> String {
    let consent = reach_consent(browser, &AuthRequest::new(app), person).await;
    allow(browser, &consent, &SCOPES).await.answer_to(REDIRECT_URI)["code"].clone()
}

async fn assert_dead(scene: &Scene, code: &str) {
    Caller::new(&scene.server).redeem(&scene.app, code).await.assert_error(400, "invalid_grant");
}
