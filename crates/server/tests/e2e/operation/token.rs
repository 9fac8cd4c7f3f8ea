//! Personal access tokens, as the operator creates, lists and revokes them.

use crate::e2e::app::{read, text};
use crate::e2e::browser::Browser;
use crate::e2e::security::account::people::{PASSWORD, person, trail};
use crate::e2e::security::account::visit::{make_token, sign_in};
use crate::e2e::world::World;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

const EMAIL: &str = "sam@example.org";
const NOBODY: &str = "aaaaaaaa-0000-4000-8000-00000000dead";

fn tokens(world: &World, user: &str) -> Vec<Value> {
    world.json_lines(&["token", "list", "--user", user, "--json"])
}

fn status_of(world: &World, user: &str, name: &str) -> String {
    let found = tokens(world, user).into_iter().find(|token| token["name"] == name).expect("token");
    text(&found, "status")
}

on_sqlite! {
    async fn the_operator_lists_and_revokes_a_persons_tokens(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let browser = Browser::new(&server);
        sign_in(&browser, EMAIL, PASSWORD).await;
        for name in ["one", "two", "three"] {
            let secret = make_token(&browser, name, "sleep").await;
            assert!(!world.ok(&["token", "list", "--user", &user]).contains(&secret));
        }
        let listed = tokens(&world, &user);
        let members: Vec<_> = listed[0].as_object().expect("object").keys().map(String::as_str).collect();
        let expected = [
            "created_at", "expires_at", "last_used_at", "name", "revoked_at", "scopes", "status", "token_id",
        ];
        assert_eq!(members, expected);
        let one = listed.iter().find(|token| token["name"] == "one").expect("token");
        let id = text(one, "token_id");
        let revoke = ["token", "revoke", "--user", &user, "--id", &id, "--json"];
        assert_eq!(world.json(&revoke), json!({"revoked": 1}));
        assert_eq!(world.json(&revoke), json!({"revoked": 0}));
        assert_eq!(status_of(&world, &user, "one"), "revoked");
        assert_eq!(status_of(&world, &user, "two"), "live");
        assert_eq!(world.json(&["token", "revoke", "--user", &user, "--json"]), json!({"revoked": 2}));
        assert_eq!(status_of(&world, &user, "two"), "revoked");

        let events = trail(&world, &["--kind", "personal_token.revoked", "--user", &user]);
        assert_eq!(events.len(), 2);
        assert!(events.iter().all(|event| event["actor"] == "operator"), "{events:?}");
        for (whose, which) in [(user.as_str(), NOBODY), (NOBODY, id.as_str())] {
            assert!(!world.run(&["token", "revoke", "--user", whose, "--id", which]).status.success());
        }
    }
}

on_sqlite! {
    async fn the_operator_creates_a_token_that_is_printed_once(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let create = ["token", "create", "--user", EMAIL, "--scope", "sleep", "--scope", "profile"];
        let create = [&create[..], &["--name", "Assistant", "--expires-in", "90d", "--json"]].concat();
        let created = world.json(&create);
        assert_eq!(created.as_object().expect("object").keys().collect::<Vec<_>>(), ["token"]);
        let secret = text(&created, "token");
        assert!(!world.ok(&["token", "list", "--user", &user, "--json"]).contains(&secret));
        let listed = tokens(&world, &user);
        assert_eq!((&listed[0]["name"], &listed[0]["scopes"]), (&json!("Assistant"), &json!(["profile", "sleep"])));
        let date = |member: &str| text(&listed[0], member).parse::<DateTime<Utc>>().expect("time").date_naive();
        assert_eq!((date("expires_at") - date("created_at")).num_days(), 90);
        for (endpoint, status) in [("profile", 200), ("sleep", 200), ("supplements", 403)] {
            let path = format!("/api/v1/{endpoint}/{user}");
            assert_eq!(read(&server, &secret, &path).await.status(), status, "{endpoint}");
        }
        let events = trail(&world, &["--kind", "personal_token.created", "--user", &user]);
        assert_eq!((events.len(), &events[0]["actor"]), (1, &json!("operator")));
    }

    async fn a_token_with_invalid_arguments_is_not_created(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let valid = ["token", "create", "--user", &user, "--scope", "sleep", "--name", "Assistant"];
        for arguments in [
            &valid[..6],
            &["token", "create", "--user", &user, "--name", "Assistant"],
            &["token", "create", "--user", NOBODY, "--scope", "sleep", "--name", "Assistant"],
            &["token", "create", "--user", &user, "--scope", "sleep:write", "--name", "Assistant"],
            &["token", "create", "--user", &user, "--scope", "email", "--name", "Assistant"],
            &["token", "create", "--user", &user, "--scope", "sleep", "--name", "a\nb"],
            &[&valid[..], &["--expires-in", "0d"]].concat(),
            &[&valid[..], &["--expires-in", "367d"]].concat(),
            &[&valid[..], &["--expires-in", "12h"]].concat(),
        ] {
            world.fails(arguments);
        }
        assert_eq!(tokens(&world, &user), Vec::<Value>::new());
    }
}
