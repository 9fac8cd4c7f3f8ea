//! Webhooks: an app is notified at least once that something changed, and nothing more.

mod flight;
mod outage;
mod scene;

use super::receiver::{Message, ReceiverResponse};
use crate::e2e::app::{REDIRECT_URI, code, create_app, redeem, register, text};
use crate::e2e::world::World;
use application::ports::system::Clock as _;
use chrono::TimeDelta;
use scene::Scene;
use serde_json::json;
use system_adapter::SystemClock;

on_all_stores! {
    /// Standard Webhooks, Webhook Headers.
    async fn an_import_is_one_signed_message_whose_cursor_leads_to_the_changes(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        scene.import_night(&world);
        let [message] = &scene.wait_for("records.changed", 1).await[..] else { panic!("one message") };
        assert!(message.is_signed_with(&scene.secret));
        let body = message.json();
        let cursor = text(&body["data"], "cursor");
        let expected = json!({"user_id": scene.app.user_id, "kinds": ["sleep"], "cursor": cursor});
        assert_eq!(body["data"], expected, "{body}");
        assert_eq!(body.as_object().expect("object").len(), 3);
        let changes = scene.changes(&server, &cursor).await;
        assert!(changes.len() > 3 && changes.iter().all(|change| change["type"] == "sleep"), "{changes:?}");
        // The next message leads only to what came after.
        let change = ["user", "update", &scene.app.user_id, "--height-cm", "171"];
        world.ok(&change);
        let second = scene.wait_for("records.changed", 2).await[1].json();
        assert_eq!(second["data"]["kinds"], json!(["profile"]));
        assert_eq!(scene.changes(&server, &text(&second["data"], "cursor")).await.len(), 1);
        assert_eq!(scene.wait_for_results(&world, 3).await, ["204", "204", "200"]);
    }

    async fn an_app_is_notified_of_revocations_and_erasures_and_of_nothing_afterwards(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        world.ok(&["grant", "revoke", "--user", &scene.app.user_id, "--client", &scene.app.client_id]);
        let [revoked] = &scene.wait_for("grant.revoked", 1).await[..] else { panic!("one message") };
        assert_eq!(revoked.json()["data"], json!({"user_id": scene.app.user_id}));
        scene.import_night(&world);
        let again = redeem(&server, &scene.app, &code(&world, &scene.app, &["sleep"])).await;
        world.ok(&["user", "update", &scene.app.user_id, "--height-cm", "171"]);
        world.ok(&["user", "erase", &scene.app.user_id, "--yes"]);
        let [erased] = &scene.wait_for("person.erased", 1).await[..] else { panic!("one message") };
        assert_eq!(erased.json()["data"], json!({"user_id": scene.app.user_id}));
        assert!(!again.access.is_empty());
        // Neither the import, which came after the revocation, nor the profile, which is not granted.
        assert_eq!(scene.receiver.messages("records.changed").len(), 0);
    }

    /// Standard Webhooks, Deliverability.
    async fn failed_deliveries_are_tried_again_and_410_disables_until_a_new_challenge(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        scene.receiver.answer_with(ReceiverResponse::Status(503));
        let imported_at = SystemClock.now().timestamp();
        scene.import_night(&world);
        // The next attempt is due some time after the end of the one before, so the clock moves after that.
        assert_eq!(scene.wait_for_results(&world, 2).await[0], "503");
        world.advance(TimeDelta::seconds(6));
        assert_eq!(scene.wait_for_results(&world, 3).await[0], "503");
        scene.receiver.answer_with(ReceiverResponse::Status(410));
        world.advance(TimeDelta::minutes(6));
        scene.wait_for_status(&world, "gone").await;
        let announced = scene.receiver.messages("records.changed");
        let is_repetition = |message: &Message| (&message.id, &message.body) == (&announced[0].id, &announced[0].body);
        assert!(announced.iter().all(is_repetition), "{announced:?}");
        // In seconds, of the attempt.
        let attempted: Vec<i64> = announced.iter().map(|message| message.timestamp.parse().expect("seconds")).collect();
        assert!((imported_at..=imported_at + 60).contains(&attempted[0]), "{attempted:?} after {imported_at}");
        assert!(attempted[1] - attempted[0] >= 5 && attempted[2] - attempted[1] >= 5 * 60, "{attempted:?}");
        assert!(announced.iter().all(|message| message.is_signed_with(&scene.secret)), "{announced:?}");
        // Changes in the meantime are queued.
        world.ok(&["user", "update", &scene.app.user_id, "--height-cm", "171"]);
        scene.receiver.answer_with(ReceiverResponse::Status(204));
        assert_eq!(world.json(&["webhook", "test", &scene.endpoint, "--json"])["type"], "endpoint.challenge");
        scene.wait_for_status(&world, "active").await;
        let all = scene.wait_for("records.changed", announced.len() + 1).await;
        let last = all[announced.len()].json();
        assert_eq!(last["data"]["kinds"], json!(["profile", "sleep"]));
        let trail = world.json_lines(&["audit", "list", "--json"]);
        let kinds: Vec<String> = trail.iter().map(|event| text(event, "kind")).collect();
        assert!(kinds.contains(&"webhook.disabled".to_owned()), "{kinds:?}");
    }

    /// Standard Webhooks, Webhook Headers.
    async fn two_secrets_sign_after_a_rotation_and_a_replay_repeats_the_message(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        let secret = text(&world.json(&["webhook", "rotate", &scene.endpoint, "--json"]), "secret");
        assert_ne!(secret, scene.secret);
        scene.import_night(&world);
        let first = scene.wait_for("records.changed", 1).await.remove(0);
        assert!(first.is_signed_with(&scene.secret) && first.is_signed_with(&secret));
        scene.wait_for_results(&world, 2).await;
        world.advance(TimeDelta::hours(24));
        let replay = ["webhook", "replay", &scene.endpoint, "--last", "2d", "--json"];
        assert_eq!(world.json(&replay), json!({"people": 1}));
        let second = scene.wait_for("records.changed", 2).await.remove(1);
        assert_eq!(second.id, first.id);
        assert!(!second.is_signed_with(&scene.secret) && second.is_signed_with(&secret));
        world.ok(&["webhook", "test", &scene.endpoint]);
        scene.wait_for("endpoint.test", 1).await;
        assert_eq!(world.json(&["webhook", "delete", &scene.endpoint, "--json"])["deleted"], scene.endpoint.as_str());
        assert!(world.fails(&["webhook", "test", &scene.endpoint]).contains("no webhook endpoint"));
    }

    /// Standard Webhooks, Deliverability.
    async fn a_sender_that_is_killed_during_a_delivery_loses_nothing(world: World) {
        let world = world.in_processes();
        let mut server = world.serve();
        let scene = Scene::new(&world, &server).await;
        scene.receiver.answer_with(ReceiverResponse::Silence);
        scene.import_night(&world);
        let first = scene.wait_for("records.changed", 1).await.remove(0);
        server.kill();
        scene.receiver.answer_with(ReceiverResponse::Status(204));
        let second_server = world.serve_as("second");
        let second = scene.wait_for("records.changed", 2).await.remove(1);
        assert_eq!(second.id, first.id);
        assert!(!second_server.log().contains(&scene.secret));
    }

    async fn only_one_of_two_servers_sends(world: World) {
        let servers = [world.serve(), world.serve_as("second")];
        let scene = Scene::new(&world, &servers[0]).await;
        for height in 0..5 {
            world.ok(&["user", "update", &scene.app.user_id, "--height-cm", &format!("17{height}")]);
            scene.wait_for("records.changed", height + 1).await;
        }
        assert_eq!(scene.receiver.messages("records.changed").len(), 5);
    }

    async fn endpoints_are_refused_that_the_server_may_not_call_or_that_no_app_has(world: World) {
        let app = register(&world);
        let create = |client: &str, url: &str| world.fails(&["webhook", "create", "--client", client, "--url", url]);
        for url in ["https://10.0.0.1/", "https://[fd00::1]/x", "https://169.254.169.254/latest"] {
            assert!(create(&app.client_id, url).contains("outbound.allow_private_networks"), "{url}");
        }
        for (url, reason) in [
            ("http://owl.example/", "must be https"),
            ("https://user:secret@owl.example/", "user name"),
            ("https://owl.example:22/", "port"),
            ("owl.example", "absolute URL"),
        ] {
            assert!(create(&app.client_id, url).contains(reason), "{url}");
        }
        assert!(create("3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48", "https://owl.example/").contains("no client"));
        let other = create_app(&world, &app.user_id, &["--name", "Other", "--redirect-uri", REDIRECT_URI]);
        for number in 0..10 {
            let url = format!("https://owl.example/{number}");
            world.ok(&["webhook", "create", "--client", &other.client_id, "--url", &url]);
        }
        assert!(create(&other.client_id, "https://owl.example/11").contains("at most 10"));
        assert!(create(&other.client_id, "https://owl.example/9").contains("already has a webhook endpoint"));
        let listed = world.ok(&["webhook", "list", "--client", &other.client_id]);
        assert!(listed.contains("unconfirmed") && !listed.contains("whsec_"), "{listed}");
    }
}
