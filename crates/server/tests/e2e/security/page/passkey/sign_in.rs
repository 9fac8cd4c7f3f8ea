//! Attacks on sign-ins with passkeys.

use super::{Authenticator, Stage, add, begin, filled, handle, scene};
use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::security::scene::assert_rows;
use crate::e2e::world::World;
use chrono::TimeDelta;
use domain::passkey::to_base64url;

const REFUSED: &str = "passkey.refused";

on_both_stores! {
    async fn a_passkey_signs_in_without_an_address_and_is_a_second_factor(world: World) {
        let stage = Stage::new(world).await;
        let page = stage.attempt(&stage.authenticator).await;
        assert_eq!(page.own_location(), "/");
        assert_rows(&stage.scene.world, "session", "WHERE method = 'passkey'", 1).await;
        assert_rows(&stage.scene.world, "passkey", "WHERE last_used_at IS NOT NULL", 1).await;
        // An authenticator without a counter stays at 0.
        assert_eq!(stage.attempt(&stage.authenticator).await.own_location(), "/");
    }

    async fn a_counter_that_goes_back_is_refused_and_recorded(world: World) {
        let stage = Stage::new(world).await;
        let at = |count| Authenticator { count, ..stage.authenticator.clone() };
        assert_eq!(stage.attempt(&at(5)).await.own_location(), "/");
        assert_rows(&stage.scene.world, "session", "", 2).await;
        for (number, count) in [(1, 5), (2, 4), (3, 0)] {
            stage.attempt(&at(count)).await.assert_refused(422);
            let condition = "WHERE kind = 'passkey.counter_reversed'";
            assert_rows(&stage.scene.world, "audit_event", condition, number).await;
        }
        assert_rows(&stage.scene.world, "session", "", 2).await;
        assert_eq!(stage.attempt(&at(6)).await.own_location(), "/");
    }
}

on_sqlite! {
    async fn a_replayed_challenge_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let browser = Browser::new(&stage.scene.server);
        let form = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &form).await;
        let filled = filled(&form, stage.authenticator.sign_in(&challenge, &stage.handle()));
        assert_eq!(browser.submit(&filled).await.own_location(), "/");
        browser.submit(&filled).await.assert_refused(422);
        assert_rows(&stage.scene.world, "passkey_ceremony", "", 0).await;
        assert_rows(&stage.scene.world, "session", "", 2).await;
    }

    async fn a_challenge_of_another_browser_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let theirs = Browser::new(&stage.scene.server);
        let form = theirs.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&theirs, &form).await;
        let page = stage.attempt_with(|_| stage.authenticator.sign_in(&challenge, &stage.handle())).await;
        stage.assert_refused(page, REFUSED, 0).await;
    }

    async fn a_challenge_for_a_registration_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let form = stage.scene.browser.open("/account").await.form("/account/passkeys");
        let challenge = begin(&stage.scene.browser, &form).await;
        let page = stage.attempt_with(|_| stage.authenticator.sign_in(&challenge, &stage.handle())).await;
        stage.assert_refused(page, REFUSED, 0).await;
    }

    async fn an_invented_challenge_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let page = stage.attempt_with(|_| stage.authenticator.sign_in("rwa_x", &stage.handle())).await;
        stage.assert_refused(page, REFUSED, 0).await;
    }

    async fn an_expired_ceremony_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let browser = Browser::new(&stage.scene.server);
        let form = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &form).await;
        let filled = filled(&form, stage.authenticator.sign_in(&challenge, &stage.handle()));
        stage.scene.world.advance(TimeDelta::minutes(5));
        let page = browser.submit(&filled).await;
        stage.assert_refused(page, REFUSED, 0).await;
    }

    async fn an_answer_with_any_wrong_part_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let own = || stage.authenticator.clone();
        let wrong = [
            ("origin", Authenticator { origin: "http://localhost:8081".to_owned(), ..own() }),
            ("frame of another origin", Authenticator { more_client_data: r#","crossOrigin":true"#.to_owned(), ..own() }),
            ("relying party", Authenticator { relying_party: "evil.example".to_owned(), ..own() }),
            ("user verification", Authenticator { flags: 0x01, ..own() }),
            ("user presence", Authenticator { flags: 0x04, ..own() }),
            ("type", Authenticator { kind: Some("webauthn.create"), ..own() }),
            ("signature", Authenticator::new(&[7; 32])),
        ];
        for (number, (part, authenticator)) in (1..).zip(wrong) {
            println!("{part}");
            let page = stage.attempt(&authenticator).await;
            stage.assert_refused(page, REFUSED, number).await;
        }
    }

    async fn a_user_handle_of_another_person_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let stranger = Person::create(&stage.scene.world, "stranger@example.org");
        for (number, other) in [(1, handle(&stranger)), (2, String::new())] {
            let page = stage.attempt_with(|challenge| stage.authenticator.sign_in(challenge, &other)).await;
            stage.assert_refused(page, REFUSED, number).await;
        }
    }

    async fn an_unknown_credential_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let page = stage.attempt(&Authenticator::new(&[8; 32])).await;
        stage.assert_refused(page, REFUSED, 0).await;
    }

    async fn oversize_missing_and_malformed_fields_are_refused(world: World) {
        let stage = Stage::new(world).await;
        let sizes = [("credential_id", 1024), ("user_handle", 4000), ("client_data", 4097), ("authenticator_data", 4097), ("signature", 1025)];
        for (field, size) in sizes {
            let base = |challenge: &str| stage.authenticator.sign_in(challenge, &stage.handle());
            for value in [to_base64url(&vec![0; size]), "!".to_owned(), String::new()] {
                let page = stage.attempt_with(|challenge| {
                    let mut fields = base(challenge);
                    fields.retain(|(name, _)| *name != field);
                    fields.push((field, value.clone()));
                    fields
                });
                page.await.assert_refused(422);
            }
        }
        assert_rows(&stage.scene.world, "session", "", 1).await;
    }

    async fn failed_attempts_are_limited_per_address(world: World) {
        let stage = Stage::new(world.with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", "3")).await;
        let stranger = Authenticator::new(&[7; 32]);
        for _ in 0..3 {
            stage.attempt(&stranger).await.assert_refused(422);
        }
        let page = stage.attempt(&stage.authenticator).await;
        page.assert_refused(429);
        assert!(page.header("retry-after").is_some());
        assert_rows(&stage.scene.world, "audit_event", "WHERE kind = 'session.limited'", 1).await;
    }

    async fn a_locked_persons_passkey_is_refused(world: World) {
        let stage = Stage::new(world).await;
        stage.scene.world.ok(&["user", "lock", &stage.scene.person.user_id]);
        stage.attempt(&stage.authenticator).await.assert_refused(422);
        assert_rows(&stage.scene.world, "audit_event", "WHERE kind = 'passkey.refused'", 1).await;
    }

    async fn an_erased_persons_passkey_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let browser = &stage.scene.browser;
        let form = browser.open("/account/erase").await.form("/account/erase");
        browser.submit(&form.with("email", &stage.scene.person.email)).await;
        assert_rows(&stage.scene.world, "passkey", "", 0).await;
        stage.attempt(&stage.authenticator).await.assert_refused(422);
    }

    async fn a_password_alone_cannot_replace_a_passkey_where_a_second_factor_is_required(world: World) {
        let stage = Stage::new(world).await;
        let world = stage.scene.world.clone().with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required");
        let server = world.serve();
        let browser = Browser::new(&server);
        let form = stage.scene.person.credentials(&browser.open("/sign-in").await.form("/sign-in"));
        let page = browser.submit(&form).await;
        page.assert_refused(422);
        assert!(page.text().contains("yours is a passkey"), "{page:?}");
        let form = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &form).await;
        let filled = filled(&form, stage.authenticator.sign_in(&challenge, &stage.handle()));
        assert_eq!(browser.submit(&filled).await.own_location(), "/");
        assert!(browser.is_signed_in().await);
        // The operator's rescue.
        world.ok(&["user", "second-factor", "reset", &stage.scene.person.user_id]);
        assert_rows(&world, "passkey", "", 0).await;
    }

    async fn the_last_passkey_is_kept_where_a_second_factor_is_required(world: World) {
        let stage = Stage::new(world).await;
        let world = stage.scene.world.clone().with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required");
        let server = world.serve();
        let browser = Browser::new(&server);
        let form = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &form).await;
        browser.submit(&filled(&form, stage.authenticator.sign_in(&challenge, &stage.handle()))).await.own_location();
        let removal = browser.open("/account").await.form("/account/passkeys/remove");
        let page = browser.submit(&removal).await;
        page.assert_refused(422);
        assert!(page.text().contains("Add another passkey"), "{page:?}");
        assert_eq!(add(&browser, &Authenticator::new(&[8; 32])).await.own_location(), "/account?done=passkey-added");
        let removal = browser.open("/account").await.forms("/account/passkeys/remove").remove(0);
        assert_eq!(browser.submit(&removal).await.own_location(), "/account?done=passkey-removed");
        assert_rows(&world, "passkey", "", 1).await;
    }

    async fn no_page_offers_passkeys_at_an_ip_address(world: World) {
        let scene = crate::e2e::security::scene::Scene::new(world);
        let page = scene.browser.open("/sign-in").await;
        assert!(page.forms("/sign-in/passkey").is_empty() && !page.body.contains("<script"), "{page:?}");
        scene.browser.sign_in(&scene.person).await;
        let page = scene.browser.open("/account").await;
        assert!(page.text().contains("not an IP address"), "{page:?}");
        assert!(page.forms("/account/passkeys").is_empty() && !page.body.contains("<script"), "{page:?}");
    }

    // T33
    async fn only_the_sign_in_and_account_pages_allow_scripts(world: World) {
        let scene = scene(world);
        let paths = ["/", "/help", "/forgot-password", "/apps", "/tokens", "/activity", "/imports", "/account/erase", "/account/second-factor"];
        for is_signed_in in [false, true] {
            for path in paths.into_iter().chain(["/nowhere"]) {
                let accept: &[_] = if matches!(path, "/" | "/nowhere") { &[("accept", "text/html")] } else { &[] };
                let page = scene.browser.get_with(path, accept).await;
                if page.status != 303 {
                    let policy = page.policy();
                    assert!(!policy.contains_key("script-src") && !policy.contains_key("connect-src"), "{path}");
                    assert!(page.text().contains("This page runs no scripts"), "{path}");
                }
            }
            for path in [["/sign-in"], ["/account"]][usize::from(is_signed_in)] {
                let page = scene.browser.open(path).await;
                assert_eq!(page.policy()["script-src"], "'self'", "{path}");
                assert!(page.text().contains("This page runs one script, for passkeys"), "{path}");
            }
            if !is_signed_in {
                scene.browser.sign_in(&scene.person).await;
            }
        }
    }
}
