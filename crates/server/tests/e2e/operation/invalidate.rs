//! Invalidating everything issued before a given time, for the day after a restore.

use super::reader::Reader;
use crate::e2e::app::{
    Registration, SCOPES, Tokens, ask_refresh, ask_token, code, create_code, redeem, register, text,
};
use crate::e2e::browser::Browser;
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use crate::e2e::security::account::people::{PASSWORD, give_password, trail};
use crate::e2e::security::account::visit::{make_token, sign_in};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use application::ports::system::Clock as _;
use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::Value;
use std::time::Instant;
use system_adapter::SystemClock;

const EMAIL: &str = "sleeper@example.org";

/// Every kind of credential of one person and one client.
struct Credentials {
    tokens: Tokens,
    personal: String,
    browser: Browser,
    link: String,
    code: String,
}

impl Credentials {
    /// Obtains one of each.
    async fn new(world: &World, server: &Server, registration: &Registration) -> Self {
        let tokens = redeem(server, registration, &code(world, registration, &SCOPES)).await;
        let browser = Browser::new(server);
        sign_in(&browser, EMAIL, PASSWORD).await;
        let personal = make_token(&browser, "Notebook", "profile").await;
        let link = world.json(&["user", "reset-password", &registration.user_id, "--json"]);
        let link =
            text(&link, "password_link").split_once("/set-password").map(|(_, query)| query.to_owned());
        let code = text(&world.json(&create_code(registration, &["profile"], "10m")), "code");
        Self { tokens, personal, browser, link: format!("/set-password{}", link.expect("link")), code }
    }

    /// Checks that all of them are valid at a server; the code and the link are not used up.
    async fn assert_good(&self, server: &Server, registration: &Registration) {
        for token in [&self.tokens.access, &self.personal] {
            let answer = Reader::new(server, &registration.user_id, token).ask("profile", "").await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        }
        assert_eq!(ask_refresh(server, registration, &self.tokens.refresh).await.status(), StatusCode::OK);
        let browser = self.browser.at(server);
        assert!(browser.is_signed_in().await);
        assert_eq!(browser.get(&self.link).await.status, 200);
    }

    /// Checks that none of them is valid; access tokens and personal tokens may stay valid for two seconds.
    async fn assert_gone(&self, server: &Server, registration: &Registration, since: Instant) {
        assert_eq!(
            ask_refresh(server, registration, &self.tokens.refresh).await.status(),
            StatusCode::BAD_REQUEST
        );
        let browser = self.browser.at(server);
        assert!(!browser.is_signed_in().await);
        assert_eq!(browser.get(&self.link).await.status, 400);
        assert_eq!(ask_token(server, registration, &self.code).await.status(), StatusCode::BAD_REQUEST);
        for token in [&self.tokens.access, &self.personal] {
            let reader = Reader::new(server, &registration.user_id, token);
            within(REVOCATION_LIMIT, since, "the token is rejected", async || {
                (reader.ask("profile", "").await.status == StatusCode::UNAUTHORIZED).then_some(())
            })
            .await;
        }
    }
}

fn invalidate(world: &World, before: &str) -> Value {
    world.json(&["invalidate", "--before", before, "--yes", "--json"])
}

on_sqlite! {
    async fn credentials_from_before_the_cutoff_fail_and_people_can_start_over(world: World) {
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080");
        let registration = register(&world);
        give_password(&world, &registration.user_id, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let old = Credentials::new(&world, &servers[0], &registration).await;
        for server in &servers {
            old.assert_good(server, &registration).await;
        }
        let before = (SystemClock.now() + TimeDelta::milliseconds(1)).to_rfc3339();
        let report = invalidate(&world, &before);
        let done_at = Instant::now();
        for (name, least) in [("grants", 1), ("personal_tokens", 1), ("sessions", 1), ("codes", 1), ("password_links", 1), ("signing_keys", 1)] {
            assert!(report[name].as_u64().is_some_and(|count| count >= least), "{name}: {report}");
        }
        for server in &servers {
            old.assert_gone(server, &registration, done_at).await;
        }
        // Passwords and client secrets stay valid: everyone can start over.
        let new = Credentials::new(&world, &servers[1], &registration).await;
        for server in &servers {
            new.assert_good(server, &registration).await;
        }
        // A second run finds nothing and leaves newer credentials valid.
        let again = invalidate(&world, &before);
        for name in ["grants", "personal_tokens", "sessions", "codes", "signing_keys"] {
            assert_eq!(again[name], 0, "{again}");
        }
        old.assert_gone(&servers[0], &registration, done_at).await;
        let kept = ["access", "personal", "refresh"];
        for (name, token) in kept.iter().zip([&new.tokens.access, &new.personal]) {
            let answer = Reader::new(&servers[0], &registration.user_id, token).ask("profile", "").await;
            assert_eq!(answer.status, StatusCode::OK, "{name}: {}", answer.text);
        }
        assert_eq!(ask_refresh(&servers[1], &registration, &new.tokens.refresh).await.status(), StatusCode::OK);
        assert!(new.browser.at(&servers[0]).is_signed_in().await);
        assert_eq!(trail(&world, &["--kind", "everything.invalidated"]).len(), 2);
    }

    async fn it_requires_confirmation_and_a_cutoff_in_the_past(world: World) {
        let registration = register(&world);
        give_password(&world, &registration.user_id, PASSWORD);
        let server = world.serve();
        let credentials = Credentials::new(&world, &server, &registration).await;
        let future = (SystemClock.now() + TimeDelta::hours(1)).to_rfc3339();
        for (arguments, named) in [
            (&["invalidate"][..], "--yes"),
            (&["invalidate", "--before", "2026-01-01T00:00:00Z"], "--yes"),
            (&["invalidate", "--yes", "--before", &future], "future"),
            (&["invalidate", "--yes", "--before", "yesterday"], "--before"),
        ] {
            let output = world.run(arguments);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && errors.contains(named), "{arguments:?}: {errors}");
        }
        credentials.assert_good(&server, &registration).await;
        // A cutoff before everything still ends what has no timestamp: links and remembered consents.
        let report = invalidate(&world, "2020-01-01T00:00:00Z");
        assert_eq!((&report["grants"], &report["sessions"], &report["signing_keys"]), (&0.into(), &0.into(), &0.into()), "{report}");
        assert!(credentials.browser.at(&server).is_signed_in().await);
        assert_eq!(ask_refresh(&server, &registration, &credentials.tokens.refresh).await.status(), StatusCode::OK);
    }
}
