//! Personal access tokens created on the page.

use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::security::caller::Caller;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use chrono::TimeDelta;

/// Creates a token on the page and returns its text, which is shown once.
pub(in crate::e2e::security) async fn make_token(browser: &Browser, name: &str, scopes: &[&str]) -> String {
    let form = browser.open("/tokens").await.form("/tokens");
    let page = browser.submit(&form.with("name", name).tick("scope", scopes)).await;
    assert_eq!(page.status, 200, "{page:?}");
    let text = page.text();
    let found: Vec<&str> = text.split_whitespace().filter(|word| word.starts_with("rwp_")).collect();
    assert_eq!(found.len(), 1, "{text}");
    found[0].to_owned()
}

on_sqlite! {
    async fn a_token_is_shown_once_and_reads_what_was_ticked(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let token = make_token(&scene.browser, "Sunday notebook", &["sleep"]).await;
        let shown = scene.browser.open("/tokens").await;
        assert!(shown.text().contains("Sunday notebook") && !shown.body.contains("rwp_"), "{shown:?}");
        let caller = Caller::new(&scene.server);
        assert_eq!(caller.read(&token, &format!("/api/v1/sleep/{}", scene.person.user_id)).await.status, 200);
        caller.read_profile(&token, &scene.app).await.assert_problem(403, "insufficient_scope");
        let stranger = Person::create(&scene.world, "stranger@example.org");
        let path = format!("/api/v1/sleep/{}", stranger.user_id);
        caller.read(&token, &path).await.assert_problem(403, "other_user");
    }

    async fn the_token_page_names_the_address_for_assistants(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let text = scene.browser.open("/tokens").await.text();
        let expected = format!("Assistants connect to {}/mcp.", scene.server.base_url);
        assert!(text.contains(&expected), "{text}");
    }

    async fn an_invalid_token_form_creates_none(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/tokens").await.form("/tokens").with("name", "x").tick("scope", &["sleep"]);
        for (form, status) in [
            (form.with("name", ""), 422), (form.with("name", &"x".repeat(101)), 422), (form.with("name", "a\nb"), 400),
            (form.tick("scope", &[]), 422), (form.tick("scope", &["sleep:write"]), 422), (form.tick("scope", &["x"]), 422),
            (form.with("expires", "0"), 422), (form.with("expires", "367"), 422), (form.with("expires", "-1"), 400),
            (form.with("expires", "never"), 400), (form.and("name", "y"), 400), (form.and("expires", "30"), 400),
            (form.with("entry", ""), 400), (form.with("entry", "x"), 400),
        ] {
            scene.browser.submit(&form).await.assert_refused(status);
        }
        assert_rows(&scene.world, "personal_token", "", 0).await;
    }

    async fn a_token_form_that_is_sent_again_creates_no_second_token(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/tokens").await.form("/tokens").with("name", "x").tick("scope", &["sleep"]);
        let created = scene.browser.submit(&form).await;
        assert!(created.text().contains("rwp_"), "{created:?}");
        let again = scene.browser.submit(&form).await;
        assert_eq!(again.own_location(), "/tokens?done=sent-before");
        let page = scene.browser.follow(&again).await;
        assert!(page.text().contains("no second one was created") && !page.body.contains("rwp_"), "{page:?}");
        assert_rows(&scene.world, "personal_token", "", 1).await;
        // The form beside the new token is another one.
        let other = created.form("/tokens").with("name", "y").tick("scope", &["sleep"]);
        assert!(scene.browser.submit(&other).await.text().contains("rwp_"));
        assert_rows(&scene.world, "personal_token", "", 2).await;
    }

    async fn creating_a_token_requires_a_recent_sign_in(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/tokens").await.form("/tokens").with("name", "x").tick("scope", &["sleep"]);
        scene.world.advance(TimeDelta::seconds(301));
        let sent = scene.browser.submit(&form).await;
        assert_eq!(sent.own_location(), "/sign-in?to=continue");
        assert_rows(&scene.world, "personal_token", "", 0).await;
        // The password is required despite the session, and a wrong one changes nothing.
        let page = scene.browser.follow(&sent).await;
        assert!(page.text().contains("Confirm your password"), "{page:?}");
        let confirm = page.form("/sign-in");
        assert_eq!(confirm.value("email"), scene.person.email);
        scene.browser.submit(&confirm.with("password", "a wrong password")).await.assert_refused(422);
        assert_eq!(scene.browser.submit(&form).await.own_location(), "/sign-in?to=continue");
        let confirmed = scene.browser.submit(&confirm.with("password", &scene.person.password)).await;
        assert_eq!(confirmed.own_location(), "/continue");
        assert_rows(&scene.world, "personal_token", "", 0).await;
        // Name and ticks were kept.
        let kept = scene.browser.follow(&confirmed).await.form("/tokens");
        assert_eq!((kept.value("name"), kept.values("scope")), ("x", vec!["sleep"]));
        assert!(scene.browser.submit(&kept).await.text().contains("rwp_"));
        // This replaced the previous session.
        assert_rows(&scene.world, "session", "", 1).await;
    }

    async fn another_persons_token_cannot_be_revoked(world: World) {
        let scene = Scene::new(world);
        let stranger = Person::create(&scene.world, "stranger@example.org");
        scene.browser.sign_in(&scene.person).await;
        let token = make_token(&scene.browser, "mine", &["profile"]).await;
        let form = scene.browser.open("/tokens").await.form("/tokens/revoke");
        let other = Browser::new(&scene.server);
        other.sign_in(&stranger).await;
        make_token(&other, "theirs", &["profile"]).await;
        let own = other.open("/tokens").await.form("/tokens/revoke");
        other.submit(&own.with("token", form.value("token"))).await.own_location();
        other.submit(&own.with("token", "no-uuid")).await.assert_refused(400);
        assert_rows(&scene.world, "personal_token", "WHERE revoked_at IS NOT NULL", 0).await;
        assert_eq!(Caller::new(&scene.server).read_profile(&token, &scene.app).await.status, 200);
        // Nor can another person's app be disconnected.
        let disconnect = other.open("/apps").await.forms("/apps/disconnect");
        assert!(disconnect.is_empty(), "{disconnect:?}");
    }
}
