//! Sandbox people of a developer, on the developer page.

use super::developer::{new_app, register, with_self_service};
use crate::e2e::app::{Registration, read, read_json, text};
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::signed_in;
use crate::e2e::polling::eventually;
use crate::e2e::security::caller::{Caller, basic};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use reqwest::Method;
use serde_json::Value;

async fn create(browser: &Browser) -> Page {
    let form = browser.open("/developer").await.form("/developer/sandbox/create");
    browser.submit(&form).await
}

/// Issues a code for the first sandbox person on the page of an app; returns the page.
async fn issue(browser: &Browser, client_id: &str) -> Page {
    let page = browser.open(&format!("/developer/{client_id}")).await;
    let page = browser.submit(&page.form("/developer/sandbox/code")).await;
    assert_eq!(page.status, 200, "{page:?}");
    page
}

/// Sends the request of the command on the page; returns the response.
async fn redeem(scene: &Scene, page: &Page, app: &Registration) -> Value {
    let page = page.text();
    let (_, command) = page.split_once("curl ").expect("a command");
    let user = format!("-u \"{}:$CLIENT_SECRET\" ", app.client_id);
    let (is_signed, command) = match command.strip_prefix(&user) {
        Some(rest) => (true, rest),
        None => (false, command),
    };
    let (url, rest) = command.split_once(" -d '").expect("fields");
    assert_eq!(url, format!("{}/api/token", scene.server.base_url));
    let (fields, _) = rest.split_once('\'').expect("the end of the fields");
    let request = Caller::new(&scene.server).request(Method::POST, "/api/token");
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(fields.to_owned());
    let request = if is_signed {
        request.header("authorization", basic((&app.client_id, &app.client_secret)))
    } else {
        request
    };
    let answer = request.send().await.expect("answer");
    assert_eq!(answer.status(), 200, "{command}");
    answer.json().await.expect("JSON")
}

on_sqlite! {
    async fn one_click_creates_people_and_the_command_shown_redeems_their_codes(world: World) {
        let scene = with_self_service(world);
        let (browser, server) = (&scene.browser, &scene.server);
        browser.sign_in(&scene.person).await;
        let (app, page) = register(browser, &scene.person).await;
        assert!(page.forms("/developer/sandbox/code").is_empty() && page.text().contains("Create some first"));
        let created = create(browser).await;
        assert_eq!(created.own_location(), "/developer?done=people-created");
        let list = browser.follow(&created).await;
        assert!(list.text().contains("Has three years of nights.") && list.text().contains("Data until"), "{list:?}");
        let tokens = redeem(&scene, &issue(browser, &app.client_id).await, &app).await;
        let user_id = text(&tokens, "user_id");
        assert!(list.text().contains(&user_id), "{user_id}");
        assert_eq!(text(&tokens, "scope"), "sleep");
        let access = text(&tokens, "access_token");
        let nights = read_json(server, &access, &format!("/api/v1/sleep/{user_id}")).await;
        assert!(!nights["data"].as_array().expect("data").is_empty(), "{nights}");
        let own = browser.open(&format!("/developer/{}", app.client_id)).await;
        assert!(!own.text().contains("rwc_") && !own.text().contains("curl"), "{own:?}");
        // A public app, which must use PKCE.
        let form = new_app(browser).await.with("name", "Owl CLI").with("kind", "public");
        let page = browser.submit(&form).await;
        let client_id = page.form("/developer/change").value("client").to_owned();
        let public = Registration { client_id, client_secret: String::new(), ..app.clone() };
        redeem(&scene, &issue(browser, &public.client_id).await, &public).await;
        // Erased after a confirmation only.
        let erase = browser.open("/developer").await.form("/developer/sandbox/erase");
        let refused = browser.submit(&erase.without("confirm")).await;
        refused.assert_refused(422);
        assert!(refused.text().contains("Tick the box"), "{refused:?}");
        assert_rows(&scene.world, "sandbox_person", "", 9).await;
        let erased = browser.submit(&erase.with("confirm", "yes")).await;
        assert!(browser.follow(&erased).await.text().contains("have been erased"), "{erased:?}");
        assert_rows(&scene.world, "sandbox_person", "", 0).await;
        let path = format!("/api/v1/sleep/{user_id}");
        eventually("the access ends", async || (read(server, &access, &path).await.status() != 200).then_some(())).await;
    }

    async fn one_developer_has_at_most_thirty_sandbox_people(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/developer").await.form("/developer/sandbox/create");
        for _ in 0..3 {
            assert_eq!(scene.browser.submit(&form).await.status, 303);
        }
        let full = scene.browser.submit(&form).await;
        full.assert_refused(422);
        assert!(full.text().contains("at most 30 sandbox people"), "{full:?}");
        assert!(full.forms("/developer/sandbox/create").is_empty(), "{full:?}");
        assert_rows(&scene.world, "sandbox_person", "", 27).await;
    }

    async fn a_developer_gets_codes_only_for_their_people_and_apps(world: World) {
        let scene = with_self_service(world);
        let Scene { world, server, browser, person, .. } = &scene;
        browser.sign_in(person).await;
        let (app, _) = register(browser, person).await;
        create(browser).await;
        let form = browser.open(&format!("/developer/{}", app.client_id)).await.form("/developer/sandbox/code");
        let (other, theirs) = signed_in(world, server, "other@example.org").await;
        let (foreign, _) = register(&theirs, &other).await;
        create(&theirs).await;
        let page = theirs.open(&format!("/developer/{}", foreign.client_id)).await;
        let their_person = page.form("/developer/sandbox/code").value("person").to_owned();
        let operators = text(&world.json_lines(&["sandbox", "create", "--story", "gaps", "--json"])[0], "user_id");
        // Another developer's person, the operator's, a real one, the developer, and nobody.
        for person in [&their_person, &operators, &other.user_id, &person.user_id, &app.client_id] {
            browser.submit(&form.with("person", person)).await.assert_refused(404);
        }
        for client in [&foreign.client_id, &scene.app.client_id] {
            browser.submit(&form.with("client", client)).await.assert_refused(404);
        }
        browser.submit(&form.with("person", "x")).await.assert_refused(400);
        browser.submit(&form.without("person")).await.assert_refused(400);
        browser.submit(&form.without("form_token")).await.assert_refused(403);
        Browser::new(server).submit(&form).await.assert_refused(403);
        assert_rows(world, "authorization_code", "", 0).await;
        // An app that the operator disabled gets none.
        world.ok(&["client", "disable", &app.client_id]);
        browser.submit(&form).await.assert_refused(400);
        // The others stay.
        let erase = browser.open("/developer").await.form("/developer/sandbox/erase");
        browser.submit(&erase.with("confirm", "yes")).await.own_location();
        assert_rows(world, "sandbox_person", "", 10).await;
    }
}
