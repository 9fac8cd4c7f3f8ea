//! No input of people and browsers is in a log, at the most verbose level, or in a store.

use super::secret_kind::Secrets;
use crate::e2e::browser::Browser;
use crate::e2e::person::PASSWORD;
use crate::e2e::security::caller::Caller;
use crate::e2e::security::dump::Dump;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use std::time::{Duration, Instant};

const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";
const WRONG_PASSWORD: &str = "LEAKME123 is not the password";

on_both_stores! {
    // T01, T56
    async fn no_password_cookie_token_or_link_is_written_anywhere(world: World) {
        let world = world.in_processes();
        let scene = Scene::of(world.with("RESTWELL__LOG__LEVEL", "trace"));
        let secrets = Secrets::of(&scene).await;
        let (browser, person) = (&scene.browser, &scene.person);
        let mut hidden: Vec<String> = secrets.but(&[]).into_iter().cloned().collect();
        let request = hidden.pop().expect("the request");
        // Each of them is used successfully or not.
        let stranger = Browser::new(&scene.server);
        let form = stranger.open("/sign-in").await.form("/sign-in").with("email", &person.email);
        stranger.submit(&form.with("password", WRONG_PASSWORD)).await.assert_refused(422);
        stranger.submit(&form.with("password", WRONG_PASSWORD).with("form_token", &hidden[0])).await.assert_refused(403);
        let caller = Caller::of(&scene.server);
        for secret in &hidden {
            caller.read_profile(secret, &scene.app).await;
            stranger.get(&format!("/set-password?link={secret}")).await;
            stranger.get(&format!("/consent?request={secret}")).await;
            stranger.get(&format!("/account?session={secret}")).await;
        }
        let change = browser.open("/account").await.form("/account/password").with("new_password", NEW_PASSWORD);
        browser.submit(&change.with("current_password", WRONG_PASSWORD)).await.assert_refused(422);
        browser.submit(&change.with("current_password", PASSWORD)).await.own_location();
        hidden.push(browser.session());
        hidden.extend([PASSWORD, WRONG_PASSWORD, NEW_PASSWORD].map(str::to_owned));

        let log = scene.server.log();
        assert!(log.matches("request served").count() > 30 && log.contains("\"level\":\"DEBUG\""), "the log is quiet");
        let dump = Dump::of(&scene.world);
        assert!(dump.holds(&person.email));
        for secret in &hidden {
            let half = secret.get(secret.len() / 2..).expect("ASCII");
            for text in [secret.as_str(), half] {
                let line = log.lines().find(|line| line.contains(text));
                assert_eq!(line, None, "{secret} is in the log");
                assert!(!dump.holds(text), "{secret} is in the store");
            }
        }
        for text in [request.as_str(), person.email.as_str(), "sleeper@", "rwe_", "rwv_", "rwl_", "rwb_", "rwp_"] {
            let line = log.lines().find(|line| line.contains(text));
            assert_eq!(line, None, "{text} is in the log");
        }
        assert!(["rwe_", "rwv_", "rwl_", "rwb_", "rwp_"].iter().all(|prefix| !dump.holds(prefix)));
    }

    // T01, T56
    async fn a_queued_message_is_sealed_in_the_store(world: World) {
        let world = world.in_processes();
        let world = world
            .with("RESTWELL__LOG__LEVEL", "trace")
            .with("RESTWELL__MAIL__HOST", "127.0.0.1")
            .with("RESTWELL__MAIL__PORT", "1")
            .with("RESTWELL__MAIL__TLS", "none");
        let scene = Scene::of(world);
        let form = scene.browser.open("/forgot-password").await.form("/forgot-password");
        assert_eq!(scene.browser.submit(&form.with("email", &scene.person.email)).await.status, 200);
        assert_rows(&scene.world, "outbox", "", 1).await;
        // Until it was tried once: the failure is logged, the contents are not.
        let queued_at = Instant::now();
        while !scene.server.log().contains("a message was not sent") {
            assert!(queued_at.elapsed() < Duration::from_secs(20), "{}", scene.server.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let (log, dump) = (scene.server.log(), Dump::of(&scene.world));
        for text in ["rwl_", "set-password?link", "choose a new password", "Subject:"] {
            assert!(!log.contains(text) && !dump.holds(text), "{text}");
        }
    }
}
