//! Sessions of people, as the operator lists and ends them.

use crate::e2e::app::text;
use crate::e2e::browser::Browser;
use crate::e2e::security::account::people::{PASSWORD, person, trail};
use crate::e2e::security::account::visit::{fill, sign_in};
use crate::e2e::world::World;
use serde_json::Value;

const EMAIL: &str = "sam@example.org";
const NOBODY: &str = "aaaaaaaa-0000-4000-8000-00000000dead";

fn sessions(world: &World, user: &str) -> Vec<Value> {
    world.json_lines(&["session", "list", user, "--json"])
}

on_sqlite! {
    async fn the_operator_sees_where_a_person_is_signed_in(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        assert!(sessions(&world, &user).is_empty());
        let mut browsers = servers.each_ref().map(Browser::new);
        for (count, browser) in browsers.iter_mut().enumerate() {
            sign_in(browser, EMAIL, PASSWORD).await;
            assert_eq!(sessions(&world, &user).len(), count + 1);
        }
        for session in sessions(&world, &user) {
            let members: Vec<_> = session.as_object().expect("object").keys().map(String::as_str).collect();
            assert_eq!(members, ["address", "browser", "first_seen_at", "last_seen_at", "method", "session_id", "signed_in_at"]);
            assert_eq!(session["method"], "password");
        }
        let human = world.ok(&["session", "list", &user]);
        assert!(human.starts_with("session_id") && human.lines().count() == 3, "{human}");
        // The operator's list contains no secret.
        for browser in &browsers {
            assert!(!human.contains(&browser.session()), "{human}");
        }
        let page = browsers[0].open("/apps").await;
        assert_eq!(browsers[0].submit(&fill(&page, "/sign-out", &[])).await.status, 200);
        assert_eq!(sessions(&world, &user).len(), 1);
    }

    async fn a_session_that_the_operator_ends_is_over_on_every_server_at_once(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let first = Browser::new(&servers[0]);
        sign_in(&first, EMAIL, PASSWORD).await;
        let first_id = text(&sessions(&world, &user)[0], "session_id");
        let second = Browser::new(&servers[1]);
        sign_in(&second, EMAIL, PASSWORD).await;
        let page = first.get("/account").await;
        let revoked = world.json(&["session", "revoke", &user, "--id", &first_id, "--json"]);
        assert_eq!(revoked["revoked"], 1);
        for server in &servers {
            assert!(!first.at(server).is_signed_in().await);
            assert!(second.at(server).is_signed_in().await);
        }
        // A page that was opened before no longer works.
        assert_eq!(first.submit(&fill(&page, "/account/sign-out-everywhere", &[])).await.status, 403);
        assert!(second.is_signed_in().await);

        assert_eq!(world.json(&["session", "revoke", &user, "--json"])["revoked"], 1);
        for server in &servers {
            assert!(!second.at(server).is_signed_in().await);
        }
        assert_eq!(world.json(&["session", "revoke", &user, "--json"])["revoked"], 0);
        let kinds: Vec<_> = trail(&world, &["--user", &user]).iter().map(|event| (text(event, "kind"), text(event, "actor"))).collect();
        let by_operator: Vec<_> = kinds.iter().filter(|(_, actor)| actor == "operator").map(|(kind, _)| kind.as_str()).collect();
        assert!(by_operator.contains(&"session.signed_out") && by_operator.contains(&"session.signed_out_everywhere"), "{kinds:?}");
        // Signing in again is enough.
        sign_in(&first, EMAIL, PASSWORD).await;
    }

    async fn ending_a_session_requires_its_person(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let other = person(&world, "kim@example.org", PASSWORD);
        let server = world.serve();
        let browser = Browser::new(&server);
        sign_in(&browser, EMAIL, PASSWORD).await;
        let id = text(&sessions(&world, &user)[0], "session_id");
        for arguments in [
            &["session", "revoke", &other, "--id", &id][..],
            &["session", "revoke", &user, "--id", NOBODY],
            &["session", "revoke", NOBODY],
            &["session", "revoke", "sam"],
        ] {
            let output = world.run(arguments);
            assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
            assert!(!output.stderr.is_empty());
        }
        assert!(browser.is_signed_in().await);
    }
}
