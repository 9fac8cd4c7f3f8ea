//! The second factor: one-time codes, recovery codes, and ways around them.

use super::people::{give_password, trail};
use super::visit::{allow, fill, make_token};
use crate::e2e::app::{SCOPES, read, redeem, text};
use crate::e2e::authenticator::{Authenticator, first_step, recovery_codes, turn_on};
use crate::e2e::browser::{Browser, PENDING, Page};
use crate::e2e::person::{PASSWORD, Person};
use crate::e2e::security::auth_request::ask;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use chrono::TimeDelta;

const STEP: &str = "/sign-in/second-factor";
const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

/// A person with a second factor, signed in in the scene's browser.
struct Guarded {
    scene: Scene,
    app: Authenticator,
    codes: Vec<String>,
}

impl Guarded {
    async fn new(world: World) -> Self {
        let guarded = Self::set_up(world).await;
        // The code that set up the app is used.
        guarded.wait(2);
        guarded
    }

    async fn set_up(world: World) -> Self {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, codes) = turn_on(&scene.browser, 0).await;
        Self { scene, app, codes }
    }

    /// Lets some steps of 30 seconds pass.
    fn wait(&self, steps: i64) {
        self.scene.world.advance(TimeDelta::seconds(30 * steps));
        self.app.advance(steps);
    }

    fn browser(&self) -> Browser {
        Browser::new(&self.scene.server)
    }

    /// Signs in with a code in a browser.
    async fn sign_in(&self, browser: &Browser, code: &str) -> Page {
        let form = first_step(browser, &self.scene.person).await;
        browser.submit(&form.with("code", code)).await
    }

    fn events(&self, kind: &str) -> usize {
        trail(&self.scene.world, &["--user", &self.scene.person.user_id, "--kind", kind]).len()
    }
}

on_both_stores! {
    async fn only_one_of_two_concurrent_uses_of_a_code_signs_in(world: World) {
        let guarded = Guarded::new(world).await;
        let second = guarded.scene.world.serve_as("second");
        for code in [guarded.app.code(0), guarded.codes[0].clone()] {
            let browsers = [guarded.browser(), Browser::new(&second)];
            let mut forms = Vec::new();
            for browser in &browsers {
                forms.push(first_step(browser, &guarded.scene.person).await.with("code", &code));
            }
            let answers =
                futures_util::future::join(browsers[0].submit(&forms[0]), browsers[1].submit(&forms[1])).await;
            let mut statuses = [answers.0.status, answers.1.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [303, 422], "{answers:?}");
        }
    }
}

on_sqlite! {
    async fn a_sign_in_needs_the_password_and_a_code(world: World) {
        let guarded = Guarded::new(world).await;
        let browser = guarded.browser();
        let form = first_step(&browser, &guarded.scene.person).await;
        assert!(!browser.is_signed_in().await);
        for wrong in ["", "000000", "12345", "abcdef", "0000-0000-0000-0000", &guarded.app.code(3), &guarded.app.code(-3)] {
            let again = browser.submit(&form.with("code", wrong)).await;
            again.assert_refused(422);
            assert_eq!(again.form(STEP).value("code"), "", "a code was shown again");
        }
        browser.submit(&form.with("code", &"1".repeat(9000))).await.assert_refused(422);
        browser.submit(&form.and("code", "1").and("code", "2")).await.assert_refused(400);
        assert!(!browser.is_signed_in().await);
        let answer = browser.submit(&form.with("code", &guarded.app.code(0))).await;
        assert_eq!(answer.own_location(), "/");
        assert!(browser.is_signed_in().await);
        assert_rows(&guarded.scene.world, "pending_sign_in", "", 0).await;
        assert_rows(&guarded.scene.world, "session", "WHERE method = 'password+totp'", 2).await;
    }

    async fn a_code_is_not_accepted_twice_nor_an_earlier_one_after_it(world: World) {
        let guarded = Guarded::new(world).await;
        let [previous, current] = [guarded.app.code(-1), guarded.app.code(0)];
        assert_eq!(guarded.sign_in(&guarded.browser(), &current).await.status, 303);
        for used in [&current, &previous] {
            guarded.sign_in(&guarded.browser(), used).await.assert_refused(422);
        }
        // The code that set the app up is used as well.
        let other = Person::create(&guarded.scene.world, "other@example.org");
        let browser = guarded.browser();
        browser.sign_in(&other).await;
        let (app, _) = turn_on(&browser, guarded.app.steps()).await;
        let form = first_step(&guarded.browser(), &other).await;
        guarded.browser().submit(&form.with("code", &app.code(0))).await.assert_refused(403);
        let third = guarded.browser();
        let form = first_step(&third, &other).await;
        third.submit(&form.with("code", &app.code(0))).await.assert_refused(422);
    }

    async fn codes_of_another_account_are_wrong(world: World) {
        let guarded = Guarded::new(world).await;
        let other = Person::create(&guarded.scene.world, "other@example.org");
        let browser = guarded.browser();
        browser.sign_in(&other).await;
        let (app, codes) = turn_on(&browser, guarded.app.steps()).await;
        let stranger = guarded.browser();
        let form = first_step(&stranger, &guarded.scene.person).await;
        for code in [app.code(0), codes[0].clone()] {
            stranger.submit(&form.with("code", &code)).await.assert_refused(422);
        }
        assert!(!stranger.is_signed_in().await);
    }

    // T81
    async fn the_second_step_limits_guesses_and_locks_out_nobody_without_the_password(world: World) {
        let guarded = Guarded::new(world).await;
        let second = guarded.scene.world.serve_as("second");
        let owner = &guarded.scene.browser;
        owner.submit(&fill(&owner.open("/apps").await, "/sign-out", &[])).await;
        let mut refused = 0;
        let mut form = None;
        for number in 0..20_u8 {
            let server = if number % 2 == 0 { &guarded.scene.server } else { &second };
            let guesser = Browser::from_address(server, std::net::Ipv4Addr::new(127, 9, 9, number + 1));
            let step = first_step(&guesser, &guarded.scene.person).await;
            let answer = guesser.submit(&step.with("code", "000000")).await;
            if answer.status == 422 { refused += 1 } else { assert_eq!(answer.status, 429, "{answer:?}") }
            form = Some((guesser, step));
        }
        assert_eq!(refused, 10);
        assert_eq!(guarded.events("second_factor.refused"), 10);
        assert_eq!(guarded.events("second_factor.limited"), 1);
        // The right code is not checked either.
        let (guesser, step) = form.expect("form");
        assert_eq!(guesser.submit(&step.with("code", &guarded.app.code(0))).await.status, 429);
        // The owner's browser is known, and has its own attempts.
        assert_eq!(guarded.sign_in(owner, &guarded.app.code(0)).await.own_location(), "/");
        // After the window, other browsers sign in again.
        guarded.wait(21);
        assert_eq!(guarded.sign_in(&guarded.browser(), &guarded.app.code(0)).await.own_location(), "/");
    }

    async fn a_pending_sign_in_belongs_to_its_browser_and_expires(world: World) {
        let guarded = Guarded::new(world).await;
        let (browser, stranger) = (guarded.browser(), guarded.browser());
        let form = first_step(&browser, &guarded.scene.person).await;
        // Another browser has no pending sign-in, with its own form or this one.
        assert_eq!(stranger.get(STEP).await.own_location(), "/sign-in");
        stranger.open("/sign-in").await;
        stranger.submit(&form.with("code", &guarded.app.code(0))).await.assert_refused(403);
        let own = fill(&stranger.open("/sign-in").await, "/sign-in", &[]);
        let forged = form.with("form_token", own.value("form_token")).with("code", &guarded.app.code(0));
        let answer = stranger.submit(&forged).await;
        answer.assert_refused(422);
        assert!(answer.text().contains("Please start again"), "{answer:?}");
        assert!(!stranger.is_signed_in().await);
        // After five minutes the person starts again, on a page that says so.
        guarded.wait(10);
        let late = browser.submit(&form.with("code", &guarded.app.code(0))).await;
        late.assert_refused(422);
        assert!(late.text().contains("took too long"), "{late:?}");
        assert_eq!(browser.get(STEP).await.own_location(), "/sign-in");
        assert!(!browser.is_signed_in().await);
    }

    async fn a_second_step_without_a_first_one_opens_nothing(world: World) {
        let guarded = Guarded::new(world).await;
        let browser = guarded.browser();
        let page = browser.open("/sign-in").await;
        let token = fill(&page, "/sign-in", &[]).value("form_token").to_owned();
        for code in [guarded.app.code(0), guarded.codes[0].clone()] {
            let body = format!("form_token={token}&code={code}");
            browser.post(STEP, body, &[]).await.assert_refused(422);
        }
        assert!(!browser.is_signed_in().await);
        assert_eq!(guarded.events("second_factor.refused"), 0);
        // A completed step is not repeated.
        let form = first_step(&browser, &guarded.scene.person).await.with("code", &guarded.app.code(0));
        assert_eq!(browser.submit(&form).await.own_location(), "/");
        let session = browser.session();
        browser.submit(&form).await.assert_refused(422);
        assert_eq!(browser.session(), session);
    }

    async fn a_recovery_code_works_once_and_a_new_set_ends_the_old_one(world: World) {
        let guarded = Guarded::new(world).await;
        assert_eq!(guarded.codes.len(), 10);
        let [first, second, ..] = guarded.codes.as_slice() else { panic!("codes") };
        let browser = guarded.browser();
        assert_eq!(guarded.sign_in(&browser, &first.to_uppercase().replace('-', " ")).await.own_location(), "/");
        guarded.sign_in(&guarded.browser(), first).await.assert_refused(422);
        assert_eq!(guarded.events("recovery_codes.used"), 1);
        assert!(browser.open("/account").await.text().contains("9 recovery codes left"));
        assert_rows(&guarded.scene.world, "session", "WHERE method = 'password+recovery_code'", 1).await;
        let form = browser.open("/account/second-factor").await.form("/account/recovery-codes");
        let codes = recovery_codes(&browser.submit(&form).await);
        assert_eq!(codes.len(), 10);
        // This ended the owner's other session.
        assert!(browser.is_signed_in().await && !guarded.scene.browser.is_signed_in().await);
        guarded.sign_in(&guarded.browser(), second).await.assert_refused(422);
        for code in &codes[..7] {
            assert_eq!(guarded.sign_in(&guarded.browser(), code).await.own_location(), "/");
        }
        let account = browser.open("/account").await.text();
        assert!(account.contains("3 recovery codes left. Create new ones"), "{account}");
    }

    async fn a_second_factor_is_turned_off_only_after_a_recent_sign_in(world: World) {
        let guarded = Guarded::new(world).await;
        let owner = &guarded.scene.browser;
        let page = owner.open("/account/second-factor").await;
        let (off, codes) = (page.form("/account/second-factor/off"), page.form("/account/recovery-codes"));
        guarded.wait(11);
        for form in [&off, &codes] {
            assert_eq!(owner.submit(form).await.own_location(), "/sign-in?to=second-factor");
        }
        assert_eq!(owner.get("/account/second-factor").await.own_location(), "/sign-in?to=second-factor");
        assert_rows(&guarded.scene.world, "totp", "", 1).await;
        // Signing in again takes both steps, and leads back.
        let page = owner.open("/sign-in?to=second-factor").await;
        let answer = owner.submit(&page.form("/sign-in").with("password", PASSWORD)).await;
        assert_eq!(answer.own_location(), "/sign-in/second-factor?to=second-factor");
        let step = owner.follow(&answer).await.form(STEP).with("code", &guarded.app.code(0));
        assert_eq!(owner.submit(&step).await.own_location(), "/account/second-factor");
        let off = owner.open("/account/second-factor").await.form("/account/second-factor/off");
        assert_eq!(owner.submit(&off).await.own_location(), "/account?done=second-factor-off");
        for table in ["totp", "recovery_code"] {
            assert_rows(&guarded.scene.world, table, "", 0).await;
        }
        assert_eq!(guarded.events("second_factor.turned_off"), 1);
        guarded.browser().sign_in(&guarded.scene.person).await;
    }

    async fn sessions_that_began_before_the_second_factor_cannot_turn_it_off(world: World) {
        let scene = Scene::new(world);
        let old = Browser::new(&scene.server);
        old.sign_in(&scene.person).await;
        scene.browser.sign_in(&scene.person).await;
        let before = scene.browser.twin();
        let token = make_token(&scene.browser, "Notebook", "sleep").await;
        let code = allow(&scene.browser, &scene.app, &SCOPES).await;
        let tokens = redeem(&scene.server, &scene.app, &code).await;
        let forms = old.open("/account/second-factor").await;
        let (app, _) = turn_on(&scene.browser, 0).await;
        assert_ne!(scene.browser.session(), before.session());
        for browser in [&old, &before] {
            assert!(!browser.is_signed_in().await);
            let form = forms.form("/account/second-factor");
            browser.submit(&form.with("code", &app.code(0))).await.assert_refused(403);
            let body = format!("form_token={}", form.value("form_token"));
            for path in ["/account/second-factor/off", "/account/recovery-codes"] {
                browser.post(path, body.clone(), &[]).await.assert_refused(403);
            }
        }
        assert_rows(&scene.world, "totp", "", 1).await;
        // Tokens and apps keep working.
        let path = format!("/api/v1/sleep/{}", scene.person.user_id);
        assert_eq!(read(&scene.server, &token, &path).await.status(), 200);
        assert_eq!(read(&scene.server, &tokens.access, &path).await.status(), 200);
    }

    async fn a_reset_link_does_not_replace_the_second_factor(world: World) {
        let guarded = Guarded::new(world).await;
        let person = &guarded.scene.person;
        let browser = guarded.browser();
        let pending = first_step(&browser, person).await;
        let link = text(&guarded.scene.world.json(&["user", "reset-password", &person.user_id, "--json"]), "password_link");
        let (_, query) = link.split_once("/set-password?").expect("link");
        let page = browser.open(&format!("/set-password?{query}")).await;
        let done = browser.submit(&page.form("/set-password").with("password", NEW_PASSWORD)).await;
        assert_eq!(done.status, 200, "{done:?}");
        assert!(!browser.is_signed_in().await && !guarded.scene.browser.is_signed_in().await);
        // A sign-in that was pending with the old password has ended.
        browser.submit(&pending.with("code", &guarded.app.code(0))).await.assert_refused(422);
        let changed = Person { password: NEW_PASSWORD.to_owned(), ..person.clone() };
        let form = first_step(&browser, &changed).await;
        assert!(!browser.is_signed_in().await);
        assert_eq!(browser.submit(&form.with("code", &guarded.app.code(0))).await.own_location(), "/");
    }

    async fn the_password_alone_does_not_change_the_password(world: World) {
        let guarded = Guarded::new(world).await;
        let owner = &guarded.scene.browser;
        guarded.wait(11);
        let form = owner.open("/account").await.form("/account/password");
        let form = form.with("current_password", PASSWORD).with("new_password", NEW_PASSWORD);
        assert_eq!(owner.submit(&form).await.own_location(), "/sign-in?to=password");
        // Within five minutes of a sign-in with both factors it works, and the new session has both.
        let browser = guarded.browser();
        assert_eq!(guarded.sign_in(&browser, &guarded.app.code(0)).await.own_location(), "/");
        let form = browser.open("/account").await.form("/account/password");
        let form = form.with("current_password", PASSWORD).with("new_password", NEW_PASSWORD);
        assert_eq!(browser.submit(&form).await.own_location(), "/account?done=password");
        assert_rows(&guarded.scene.world, "session", "WHERE method = 'password+totp'", 1).await;
        assert!(!owner.is_signed_in().await);
    }

    async fn a_factor_that_was_set_up_is_not_replaced_by_another_pending_sign_in(world: World) {
        let scene = Scene::new(world.with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required"));
        let (owner, thief) = (&scene.browser, Browser::new(&scene.server));
        let mut pages = Vec::new();
        for browser in [owner, &thief] {
            let form = browser.open("/sign-in").await.form("/sign-in");
            let answer = browser.submit(&scene.person.credentials(&form)).await;
            pages.push(browser.follow(&answer).await);
        }
        let code = |page| Authenticator::read(page).code(0);
        let done = owner.submit(&pages[0].form(STEP).with("code", &code(&pages[0]))).await;
        assert_eq!(done.status, 200, "{done:?}");
        thief.submit(&pages[1].form(STEP).with("code", &code(&pages[1]))).await.assert_refused(422);
        assert!(owner.is_signed_in().await && !thief.is_signed_in().await);
        assert_rows(&scene.world, "totp", "", 1).await;
    }

    async fn a_required_second_factor_is_not_skipped(world: World) {
        let world = world.with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required");
        let scene = Scene::new(world);
        let browser = &scene.browser;
        let sent = ask(browser, &scene.auth_request()).await;
        let page = browser.follow(&sent).await;
        let answer = browser.submit(&scene.person.credentials(&page.form("/sign-in"))).await;
        let set_up = browser.follow(&answer).await;
        let app = Authenticator::read(&set_up);
        // Nothing else is reachable.
        let consent = answer.own_location().replace(STEP, "/consent");
        for path in ["/apps", "/tokens", "/account", "/account/second-factor", &consent] {
            assert!(browser.get(path).await.own_location().starts_with("/sign-in"), "{path}");
        }
        assert!(ask(browser, &scene.auth_request()).await.own_location().starts_with("/sign-in"));
        assert_rows(&scene.world, "session", "", 0).await;
        let form = set_up.form(STEP);
        // A wrong code shows the same secret; a foreign or changed one is replaced.
        let again = browser.submit(&form.with("code", "000000")).await;
        again.assert_refused(422);
        assert_eq!(Authenticator::read(&again).code(0), app.code(0));
        let replaced = browser.submit(&form.with("enrolment", "AAAA").with("code", &app.code(0))).await;
        replaced.assert_refused(422);
        assert_ne!(Authenticator::read(&replaced).code(0), app.code(0));
        // The form of a code does not complete it.
        browser.submit(&form.without("enrolment").with("code", &app.code(0))).await.assert_refused(422);
        assert!(!browser.is_signed_in().await);
        let done = browser.submit(&form.with("code", &app.code(0))).await;
        assert_eq!((done.status, recovery_codes(&done).len()), (200, 10));
        assert!(done.body.contains(&format!("href=\"{consent}\"")), "{done:?}");
        assert!(browser.is_signed_in().await);
        assert_eq!(browser.get(&consent).await.status, 200);
        // It cannot be turned off.
        let page = browser.open("/account/second-factor").await;
        assert!(page.forms("/account/second-factor/off").is_empty());
        let form = page.form("/account/recovery-codes");
        let body = format!("form_token={}", form.value("form_token"));
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        browser.post("/account/second-factor/off", body, &headers).await.assert_refused(400);
        assert_rows(&scene.world, "totp", "", 1).await;
    }

    async fn sessions_without_a_second_factor_end_when_the_operator_requires_one(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let strict = scene.world.clone().with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required");
        let second = strict.serve_as("strict");
        assert!(scene.browser.is_signed_in().await);
        assert!(!scene.browser.at(&second).is_signed_in().await);
    }

    async fn a_reset_of_a_second_factor_counts_the_password_links_that_it_ends(world: World) {
        let guarded = Guarded::new(world).await;
        let (world, person) = (&guarded.scene.world, &guarded.scene.person);
        world.ok(&["user", "reset-password", &person.email]);
        let done = world.ok(&["user", "second-factor", "reset", &person.email]);
        let ended = done.lines().find_map(|line| line.strip_prefix("password_links_ended:"));
        assert_eq!(ended.map(str::trim), Some("1"), "{done}");
    }

    async fn the_operator_resets_a_second_factor(world: World) {
        let guarded = Guarded::new(world).await;
        let (world, person) = (&guarded.scene.world, &guarded.scene.person);
        let pending = guarded.browser();
        let form = first_step(&pending, person).await;
        let done = world.json(&["user", "second-factor", "reset", &person.email, "--json"]);
        assert_eq!((text(&done, "user_id"), &done["sessions_ended"]), (person.user_id.clone(), &1.into()));
        assert!(!guarded.scene.browser.is_signed_in().await);
        pending.submit(&form.with("code", &guarded.app.code(0))).await.assert_refused(422);
        guarded.browser().sign_in(person).await;
        let events = trail(world, &["--user", &person.user_id, "--kind", "second_factor.turned_off"]);
        assert_eq!(events[0]["actor"], "operator");
        let again = world.fails(&["user", "second-factor", "reset", &person.email]);
        assert!(again.contains("no second factor"), "{again}");
        world.fails(&["user", "second-factor", "reset", "nobody@example.org"]);
    }

    async fn no_secret_of_a_second_factor_is_in_a_log(world: World) {
        let guarded = Guarded::set_up(world.in_processes().with("RESTWELL__LOG__LEVEL", "trace")).await;
        let browser = guarded.browser();
        // Processes have the machine's clock, and the current code set up the app.
        let code = guarded.app.code(1);
        guarded.sign_in(&browser, "000001").await.assert_refused(422);
        let pending = browser.cookie(PENDING).expect("pending");
        assert_eq!(guarded.sign_in(&browser, &code).await.own_location(), "/");
        guarded.sign_in(&guarded.browser(), &guarded.codes[3]).await;
        let page = browser.open("/account/second-factor?app=new").await;
        let form = page.form("/account/second-factor");
        let (_, rest) = page.body.split_once("?secret=").expect("secret");
        let secret: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        browser.submit(&form.with("code", "000002")).await.assert_refused(422);
        let bare: Vec<String> = guarded.codes.iter().map(|code| code.replace('-', "")).collect();
        let hidden = [secret, form.value("enrolment").to_owned(), pending];
        let log = guarded.scene.server.log();
        for secret in hidden.iter().chain(&guarded.codes).chain(&bare) {
            assert!(!log.contains(secret.as_str()), "{secret}");
        }
        give_password(&guarded.scene.world, &guarded.scene.person.user_id, PASSWORD);
    }
}
