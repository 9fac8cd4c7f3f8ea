//! Passkeys and other credentials after somebody else knew the password (security.md T106).

use super::{Authenticator, Stage, add, begin, filled, handle, scene};
use crate::e2e::app::text;
use crate::e2e::browser::{Browser, Page, PageForm};
use crate::e2e::person::{Person, signed_in};
use crate::e2e::security::account::visit::{sign_in, try_to_sign_in};
use crate::e2e::security::auth_request::connect;
use crate::e2e::security::caller::Caller;
use crate::e2e::security::page::token::make_token;
use crate::e2e::security::scene::assert_rows;
use crate::e2e::world::World;

const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";
const CHANGED: &str = "/account?done=password";

/// Adds another passkey, as a stranger who is signed in could.
async fn add_strangers(stage: &Stage) -> Authenticator {
    let theirs = Authenticator::new(&[9; 32]);
    add(&stage.scene.browser, &theirs).await.own_location();
    theirs
}

/// Returns the ids of the passkeys in a form, the person's first.
fn ids(form: &Page) -> Vec<String> {
    let parts = form.body.split("name=\"keep_passkey\" value=\"").skip(1);
    parts.map(|part| part.split('"').next().expect("id").to_owned()).collect()
}

fn change(stage: &Stage, page: &Page, kept: &[&str]) -> PageForm {
    let form = page.form("/account/password").tick("keep_passkey", kept);
    form.with("current_password", &stage.scene.person.password).with("new_password", NEW_PASSWORD)
}

/// Opens a new link to choose a password; returns the browser and the page.
async fn open_link(stage: &Stage) -> (Browser, Page) {
    let link = stage.scene.world.json(&["user", "reset-password", &stage.scene.person.user_id, "--json"]);
    let link = text(&link, "password_link");
    let (_, query) = link.split_once("/set-password?").expect("link");
    let browser = Browser::new(&stage.scene.server);
    let page = browser.open(&format!("/set-password?{query}")).await;
    (browser, page)
}

/// Fills in a link's form, and confirms with this passkey.
async fn confirm(
    stage: &Stage,
    browser: &Browser,
    page: &Page,
    key: &Authenticator,
    kept: &[&str],
) -> PageForm {
    let sign_in = browser.open("/sign-in").await.form("/sign-in/passkey");
    let challenge = begin(browser, &sign_in).await;
    let form = page.form("/set-password").with("password", NEW_PASSWORD).tick("keep_passkey", kept);
    filled(&form, key.sign_in(&challenge, &stage.handle()))
}

on_both_stores! {
    async fn a_new_password_removes_the_passkeys_that_the_person_does_not_tick(world: World) {
        let stage = Stage::new(world).await;
        let theirs = add_strangers(&stage).await;
        let browser = &stage.scene.browser;
        let page = browser.open("/account").await;
        let ids = ids(&page);
        // All are ticked at first, so that an ordinary change removes none.
        assert_eq!(page.form("/account/password").values("keep_passkey"), ids);
        let answer = browser.submit(&change(&stage, &page, &[&ids[0]])).await;
        assert_eq!(answer.own_location(), CHANGED);
        assert_rows(&stage.scene.world, "passkey", "", 1).await;
        assert_rows(&stage.scene.world, "audit_event", "WHERE kind = 'passkey.removed'", 1).await;
        stage.attempt(&theirs).await.assert_refused(422);
        assert_eq!(stage.attempt(&stage.authenticator).await.own_location(), "/");
    }

    async fn a_reset_by_link_removes_all_passkeys_unless_one_confirms_that_some_stay(world: World) {
        let stage = Stage::new(world).await;
        let theirs = add_strangers(&stage).await;
        let (browser, page) = open_link(&stage).await;
        let ids = ids(&page);
        assert!(page.text().contains("My phone") && page.form("/set-password").values("keep_passkey").is_empty());
        // Ticks without a valid confirmation change nothing.
        let unconfirmed = page.form("/set-password").with("password", NEW_PASSWORD).tick("keep_passkey", &[&ids[0]]);
        for form in [
            unconfirmed.clone(),
            unconfirmed.with("credential_id", "AAAA"),
            confirm(&stage, &browser, &page, &Authenticator::new(&[7; 32]), &[&ids[0]]).await,
        ] {
            let refused = browser.submit(&form).await;
            refused.assert_refused(422);
            assert!(refused.text().contains("confirm with one of them"), "{refused:?}");
        }
        assert_rows(&stage.scene.world, "passkey", "", 2).await;
        let form = confirm(&stage, &browser, &page, &stage.authenticator, &[&ids[0]]).await;
        assert_eq!(browser.submit(&form).await.status, 200);
        assert_rows(&stage.scene.world, "passkey", "WHERE last_used_at IS NOT NULL", 1).await;
        assert_rows(&stage.scene.world, "passkey", "", 1).await;
        stage.attempt(&theirs).await.assert_refused(422);
        assert_eq!(stage.attempt(&stage.authenticator).await.own_location(), "/");
        // Without a tick, all go.
        let (browser, page) = open_link(&stage).await;
        let form = page.form("/set-password").with("password", "eleven calm herons at dusk today");
        assert_eq!(browser.submit(&form).await.status, 200);
        assert_rows(&stage.scene.world, "passkey", "", 0).await;
        stage.attempt(&stage.authenticator).await.assert_refused(422);
    }
}

on_sqlite! {
    async fn nothing_that_a_stranger_added_works_after_a_reset(world: World) {
        let stage = Stage::new(world).await;
        let theirs = add_strangers(&stage).await;
        let (scene, caller) = (&stage.scene, Caller::new(&stage.scene.server));
        let token = make_token(&scene.browser, "theirs", &["sleep"]).await;
        let tokens = connect(&scene.server, &scene.browser, &scene.person, &scene.app).await;
        let (browser, page) = open_link(&stage).await;
        assert!(page.text().contains("Also disconnect all apps and tokens"), "{page:?}");
        let form = page.form("/set-password").with("password", NEW_PASSWORD).tick("disconnect_apps", &["yes"]);
        assert_eq!(browser.submit(&form).await.status, 200);
        assert!(!scene.browser.is_signed_in().await);
        stage.attempt(&theirs).await.assert_refused(422);
        let path = format!("/api/v1/sleep/{}", scene.person.user_id);
        for bearer in [&token, &tokens.access] {
            caller.read(bearer, &path).await.assert_problem(401, "invalid_token");
        }
        assert_rows(&scene.world, "access_grant", "WHERE revoked_at IS NULL", 0).await;
    }

    async fn a_passkey_of_another_person_or_an_old_challenge_does_not_confirm(world: World) {
        let stage = Stage::new(world).await;
        let (stranger, their_browser) = signed_in(&stage.scene.world, &stage.scene.server, "stranger@example.org").await;
        let theirs = Authenticator::new(&[9; 32]);
        add(&their_browser, &theirs).await.own_location();
        let (browser, page) = open_link(&stage).await;
        let ids = ids(&page);
        let sign_in = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &sign_in).await;
        let form = page.form("/set-password").with("password", NEW_PASSWORD).tick("keep_passkey", &[&ids[0]]);
        let foreign = filled(&form, theirs.sign_in(&challenge, &handle(&stranger)));
        browser.submit(&foreign).await.assert_refused(422);
        // The attempt used the challenge up.
        let used = filled(&form, stage.authenticator.sign_in(&challenge, &stage.handle()));
        browser.submit(&used).await.assert_refused(422);
        browser.submit(&form.tick("keep_passkey", &["no-uuid"])).await.assert_refused(400);
        assert_rows(&stage.scene.world, "passkey", "", 2).await;
    }

    async fn a_mailbox_alone_does_not_replace_a_required_passkey(world: World) {
        let stage = Stage::new(world).await;
        let strict = stage.scene.world.clone().with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required");
        let server = strict.serve_as("strict");
        let (_, page) = open_link(&stage).await;
        let browser = Browser::new(&server);
        let token = browser.open("/sign-in").await.form("/sign-in").value("form_token").to_owned();
        let form = page.form("/set-password").with("password", NEW_PASSWORD).with("form_token", &token);
        let refused = browser.submit(&form).await;
        refused.assert_refused(422);
        assert!(refused.text().contains("yours is a passkey"), "{refused:?}");
        assert_rows(&strict, "passkey", "", 1).await;
        // Nor does the form that changes the password leave the account without a factor.
        let sign_in = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &sign_in).await;
        browser.submit(&filled(&sign_in, stage.authenticator.sign_in(&challenge, &stage.handle()))).await.own_location();
        let account = browser.open("/account").await;
        let refused = browser.submit(&change(&stage, &account, &[])).await;
        refused.assert_refused(422);
        assert!(refused.text().contains("Add another passkey"), "{refused:?}");
        assert!(refused.form("/account/password").values("keep_passkey").is_empty(), "{refused:?}");
        assert_rows(&strict, "passkey", "", 1).await;
    }

    async fn commands_name_what_stays_valid_and_remove_passkeys_if_asked(world: World) {
        let stage = Stage::new(world).await;
        let (world, user) = (&stage.scene.world, stage.scene.person.user_id.as_str());
        make_token(&stage.scene.browser, "mine", &["sleep"]).await;
        connect(&stage.scene.server, &stage.scene.browser, &stage.scene.person, &stage.scene.app).await;
        for (command, links) in [(["user", "reset-password", user], None), (["session", "revoke", user], Some(1))] {
            let done = world.json(&[&command[..], &["--json"]].concat());
            // The owner has to ask for another link.
            assert_eq!(done.get("password_links_ended").and_then(serde_json::Value::as_u64), links, "{done}");
            assert_eq!((&done["has_password"], &done["sessions"]), (&true.into(), &links.map_or(1, |_| 0).into()));
            assert_eq!((&done["passkeys"], &done["personal_tokens"], &done["connected_apps"]), (&1.into(), &1.into(), &1.into()));
            assert_eq!((&done["second_factor"], &done["webhooks"]), (&false.into(), &0.into()));
            assert!(done.get("passkeys_removed").is_none(), "{done}");
        }
        assert_rows(world, "passkey", "", 1).await;
        let done = world.json(&["session", "revoke", user, "--remove-passkeys", "--json"]);
        assert_eq!((&done["passkeys_removed"], &done["passkeys"]), (&1.into(), &0.into()));
        assert_rows(world, "passkey", "", 0).await;
        stage.attempt(&stage.authenticator).await.assert_refused(422);
        let browser = Browser::new(&stage.scene.server);
        browser.sign_in(&stage.scene.person).await;
        add(&browser, &Authenticator::new(&[8; 32])).await.own_location();
        let done = world.json(&["user", "reset-password", user, "--remove-passkeys", "--json"]);
        assert_eq!((&done["passkeys_removed"], browser.is_signed_in().await), (&1.into(), false));
        assert_eq!((&done["has_password"], &done["sessions"]), (&false.into(), &0.into()));
        assert!(text(&done, "password_link").contains("/set-password?link="));
        assert_rows(world, "audit_event", "WHERE kind = 'passkey.removed'", 2).await;
    }

    async fn after_a_reset_that_removes_passkeys_only_the_link_opens_an_account(world: World) {
        let scene = scene(world);
        let person = Person::create(&scene.world, "known@example.org");
        let stranger = Browser::new(&scene.server);
        stranger.sign_in(&person).await;
        let reset = ["user", "reset-password", &person.user_id, "--remove-passkeys", "--json"];
        let done = scene.world.json(&reset);
        assert_eq!((&done["passkeys_removed"], &done["has_password"]), (&0.into(), &false.into()));
        assert!(!stranger.is_signed_in().await);
        assert_eq!(try_to_sign_in(&Browser::new(&scene.server), &person.email, &person.password).await.status, 422);
        let link = text(&done, "password_link");
        let (_, query) = link.split_once("/set-password?").expect("link");
        let form = scene.browser.open(&format!("/set-password?{query}")).await.form("/set-password");
        assert_eq!(scene.browser.submit(&form.with("password", NEW_PASSWORD)).await.status, 200);
        sign_in(&Browser::new(&scene.server), &person.email, NEW_PASSWORD).await;
    }

    async fn a_link_without_passkeys_shows_no_script(world: World) {
        let scene = scene(world);
        let person = Person::create(&scene.world, "plain@example.org");
        let link = text(&scene.world.json(&["user", "reset-password", &person.user_id, "--json"]), "password_link");
        let (_, query) = link.split_once("/set-password?").expect("link");
        let page = scene.browser.open(&format!("/set-password?{query}")).await;
        assert!(!page.policy().contains_key("script-src") && ids(&page).is_empty(), "{page:?}");
        assert!(!page.text().contains("Also disconnect"), "{page:?}");
    }
}
