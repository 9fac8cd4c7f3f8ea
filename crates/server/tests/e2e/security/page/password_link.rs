//! Password links, and endpoints that are disabled without email.

use crate::e2e::app::text;
use crate::e2e::browser::{Browser, PageForm};
use crate::e2e::person::{PASSWORD, Person, type_password};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use chrono::TimeDelta;
use reqwest::Method;

const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

/// Creates a person without a password; returns the person with the future password, and the path of the
/// link.
fn invite(world: &World, email: &str) -> (Person, String) {
    let reported = world.json(&["user", "create", "--email", email, "--timezone", "UTC", "--json"]);
    let person = Person {
        user_id: text(&reported, "user_id"),
        email: email.to_owned(),
        password: PASSWORD.to_owned(),
    };
    (person, path_of(&text(&reported, "password_link")))
}

fn reset(world: &World, person: &Person) -> String {
    path_of(&text(&world.json(&["user", "reset-password", &person.user_id, "--json"]), "password_link"))
}

fn path_of(link: &str) -> String {
    let (_, query) = link.split_once("/set-password?").unwrap_or_else(|| panic!("no link: {link}"));
    format!("/set-password?{query}")
}

/// Opens a link in a separate browser and fills in the form.
async fn fill_in(scene: &Scene, path: &str, password: &str) -> (Browser, PageForm) {
    let browser = Browser::new(&scene.server);
    let form = browser.open(path).await.form("/set-password").with("password", password);
    (browser, form)
}

on_sqlite! {
    async fn a_link_sets_a_password_once_and_opening_it_does_not_use_it_up(world: World) {
        let scene = Scene::new(world);
        let (person, path) = invite(&scene.world, "new@example.org");
        let sign_in = scene.browser.open("/sign-in").await.form("/sign-in");
        scene.browser.submit(&person.credentials(&sign_in)).await.assert_refused(422);
        for _ in 0..3 {
            let page = Browser::new(&scene.server).open(&path).await;
            assert!(page.body.contains("new@example.org"), "{page:?}");
        }
        let (browser, form) = fill_in(&scene, &path, PASSWORD).await;
        browser.send(browser.request(Method::DELETE, &path)).await.assert_refused(405);
        // An invalid password does not use it up either, and is not shown again.
        for weak in ["", "fourteen chars", "passwordpassword", "aaaaaaaaaaaaaaaaaaaa", "new@example.org"] {
            let again = browser.submit(&form.with("password", weak)).await;
            again.assert_refused(422);
            assert_eq!(again.form("/set-password").value("password"), "");
        }
        browser.submit(&form.with("password", &"x".repeat(1025))).await.assert_refused(422);
        let done = browser.submit(&form).await;
        assert_eq!(done.status, 200, "{done:?}");
        // It does not sign the person in.
        assert!(done.set_cookies().is_empty() && !browser.is_signed_in().await);
        for again in [&form, &form.with("password", NEW_PASSWORD)] {
            browser.submit(again).await.assert_refused(400);
        }
        browser.get(&path).await.assert_refused(400);
        browser.sign_in(&person).await;
        assert_rows(&scene.world, "password_link", "", 0).await;
    }

    async fn a_link_is_invalidated_by_a_new_password_a_lock_a_new_address_and_deletion(world: World) {
        let scene = Scene::new(world);
        let person = &scene.person;
        // Using one of two links invalidates the other.
        let (first, second) = (reset(&scene.world, person), reset(&scene.world, person));
        let (browser, form) = fill_in(&scene, &second, NEW_PASSWORD).await;
        assert_eq!(browser.submit(&form).await.status, 200);
        for path in [&first, &second] {
            browser.get(path).await.assert_refused(400);
        }
        let path = reset(&scene.world, person);
        type_password(&scene.world, &["user", "reset-password", &person.user_id, "--password-stdin"], PASSWORD);
        browser.get(&path).await.assert_refused(400);

        let path = reset(&scene.world, person);
        let (browser, form) = fill_in(&scene, &path, NEW_PASSWORD).await;
        for change in ["lock", "unlock"] {
            scene.world.ok(&["user", change, &person.user_id]);
            browser.get(&path).await.assert_refused(400);
            browser.submit(&form).await.assert_refused(400);
        }
        for (change, value) in [("update", "--email=moved@example.org"), ("delete", "--yes")] {
            let path = reset(&scene.world, person);
            let (browser, form) = fill_in(&scene, &path, NEW_PASSWORD).await;
            scene.world.ok(&["user", change, &person.user_id, value]);
            browser.get(&path).await.assert_refused(400);
            browser.submit(&form).await.assert_refused(400);
        }
    }

    async fn a_link_has_one_purpose_and_expires(world: World) {
        let scene = Scene::new(world);
        let (_, path) = invite(&scene.world, "new@example.org");
        let (_, other) = invite(&scene.world, "other@example.org");
        let link = |path: &str| path.split_once("link=").expect("a link").1.to_owned();
        let (browser, form) = fill_in(&scene, &path, NEW_PASSWORD).await;
        for broken in [
            form.without("link"), form.with("link", ""), form.with("link", &format!("{}x", link(&path))),
            form.with("link", &link(&path).to_uppercase()), form.and("link", &link(&other)),
        ] {
            browser.submit(&broken).await.assert_refused(400);
        }
        let (mine, theirs) = (link(&path), link(&other));
        for query in ["", "?link=", &format!("?link={mine}&link={theirs}"), &format!("?Link={mine}")] {
            browser.get(&format!("/set-password{query}")).await.assert_refused(400);
        }
        scene.world.advance(TimeDelta::days(4));
        browser.get(&path).await.assert_refused(400);
        browser.submit(&form).await.assert_refused(400);
        assert_rows(&scene.world, "password", "", 1).await;
    }

    async fn without_configuration_there_is_no_sign_up_and_no_reset(world: World) {
        let scene = Scene::new(world);
        let browser = &scene.browser;
        let sign_in = browser.open("/sign-in").await;
        assert!(!sign_in.body.contains("/sign-up") && !sign_in.body.contains("/forgot-password"), "{sign_in:?}");
        browser.get("/sign-up").await.assert_refused(404);
        assert!(browser.open("/forgot-password").await.forms("/forgot-password").is_empty());
        // Nor with the token of another form of this browser.
        let body = sign_in.form("/sign-in").with("email", "more@example.org").encoded();
        for path in ["/sign-up", "/forgot-password"] {
            browser.post(path, body.clone(), &[]).await.assert_refused(404);
        }
        for table in ["password_link", "outbox"] {
            assert_rows(&scene.world, table, "", 0).await;
        }
        let opened = scene.world.command(&["serve"]).env("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true").output();
        let opened = opened.expect("restwell runs");
        assert!(!opened.status.success() && String::from_utf8_lossy(&opened.stderr).contains("mail.host"));
    }
}
