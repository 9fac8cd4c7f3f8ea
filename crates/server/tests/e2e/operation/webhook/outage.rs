//! Receivers that are slow, down, or misbehave.

use super::scene::Scene;
use crate::e2e::app::text;
use crate::e2e::operation::receiver::ReceiverResponse;
use crate::e2e::world::World;
use chrono::TimeDelta;
use serde_json::json;
use std::time::{Duration, Instant};

on_all_stores! {
    /// Standard Webhooks, Deliverability.
    async fn after_an_hour_without_the_receiver_one_message_leads_to_everything(world: World) {
        let servers = [world.serve(), world.serve_as("second")];
        let scene = Scene::new(&world, &servers[0]).await;
        scene.receiver.answer_with(ReceiverResponse::Status(503));
        scene.import_night(&world);
        assert_eq!(scene.wait_for_results(&world, 2).await[0], "503");
        // The attempts of an hour: after 5 s, 5 min and 30 min, each with up to a tenth of jitter.
        for (pause, results) in [(TimeDelta::seconds(6), 3), (TimeDelta::minutes(6), 4), (TimeDelta::minutes(34), 5)] {
            world.ok(&["user", "update", &scene.app.user_id, "--height-cm", &format!("17{results}")]);
            world.advance(pause);
            assert_eq!(scene.wait_for_results(&world, results).await[0], "503");
        }
        world.advance(TimeDelta::minutes(20));
        scene.receiver.answer_with(ReceiverResponse::Status(204));
        let failed = scene.receiver.messages("records.changed").len();
        // The next attempt is due two hours after the last one.
        world.advance(TimeDelta::hours(2));
        let messages = scene.wait_for("records.changed", failed + 1).await;
        assert_eq!(scene.wait_for_results(&world, 6).await[0], "204");
        let last = messages[failed].json();
        assert_eq!(last["data"]["kinds"], json!(["profile", "sleep"]));
        let changes = scene.changes(&servers[1], &text(&last["data"], "cursor")).await;
        let heights: Vec<_> = changes.iter().filter(|change| change["type"] == "profile").collect();
        assert!(changes.len() > 3 && heights.len() == 1, "{changes:?}");
        assert_eq!(scene.receiver.messages("records.changed").len(), failed + 1);
    }

    /// Waits 2 s for the sender, because no event shows that nothing is sent during the lock.
    async fn changes_during_a_lock_are_announced_after_unlocking(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        world.ok(&["user", "update", &scene.app.user_id, "--height-cm", "171"]);
        scene.wait_for("records.changed", 1).await;
        scene.wait_for_results(&world, 2).await;
        world.ok(&["user", "lock", &scene.app.user_id]);
        scene.import_night(&world);
        // Longer than the sender takes to find the event.
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(scene.receiver.messages("records.changed").len(), 1);
        world.ok(&["user", "unlock", &scene.app.user_id]);
        let last = scene.wait_for("records.changed", 2).await.remove(1).json();
        assert_eq!(last["data"]["kinds"], json!(["profile", "sleep"]));
    }

    async fn a_slow_response_in_time_is_a_delivery_and_is_not_repeated_standard_webhooks_request_timeouts(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        scene.receiver.answer_with(ReceiverResponse::After(Duration::from_secs(4)));
        scene.import_night(&world);
        assert_eq!(scene.wait_for_results(&world, 2).await[0], "204");
        assert_eq!(scene.receiver.messages("records.changed").len(), 1);
    }

    async fn redirects_are_not_followed_and_early_closes_are_failures_standard_webhooks_delivery_success_and_failure(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        scene.receiver.answer_with(ReceiverResponse::Status(307));
        scene.import_night(&world);
        assert_eq!(scene.wait_for_results(&world, 2).await[0], "307");
        assert_eq!(scene.receiver.messages("records.changed").len(), 1);
        scene.receiver.answer_with(ReceiverResponse::Close);
        world.advance(TimeDelta::seconds(6));
        assert_eq!(scene.wait_for_results(&world, 3).await[0], "broken");
        scene.receiver.answer_with(ReceiverResponse::Status(204));
        world.advance(TimeDelta::minutes(6));
        assert_eq!(scene.wait_for_results(&world, 4).await[0], "204");
        let messages = scene.receiver.messages("records.changed");
        assert!(messages.iter().all(|message| message.id == messages[0].id), "{messages:?}");
    }
    async fn a_receiver_at_an_address_that_is_forbidden_by_now_is_not_called_but_tried_again_standard_webhooks_ssrf(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        // As if the name of the confirmed endpoint led to another address.
        let moved = async |url: &str| world.execute(&format!("UPDATE webhook_endpoint SET url = '{url}'")).await;
        moved("https://10.0.0.1/hook").await;
        scene.import_night(&world);
        assert_eq!(scene.wait_for_results(&world, 2).await[0], "forbidden");
        assert_eq!(scene.receiver.messages("records.changed").len(), 0);
        moved(&scene.receiver.url).await;
        world.advance(TimeDelta::seconds(6));
        assert_eq!(scene.wait_for_results(&world, 3).await, ["204", "forbidden", "200"]);
    }
}

on_sqlite! {
    async fn a_response_after_20_seconds_is_too_late_and_the_message_is_repeated_standard_webhooks_request_timeouts(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        scene.receiver.answer_with(ReceiverResponse::After(Duration::from_secs(22)));
        let changed_at = Instant::now();
        scene.import_night(&world);
        assert_eq!(scene.wait_for_results(&world, 2).await[0], "timed_out");
        assert!(changed_at.elapsed() >= Duration::from_secs(20), "{:?}", changed_at.elapsed());
        scene.receiver.answer_with(ReceiverResponse::Status(204));
        world.advance(TimeDelta::seconds(6));
        assert_eq!(scene.wait_for_results(&world, 3).await[0], "204");
        let [first, second] = &scene.receiver.messages("records.changed")[..] else { panic!("two messages") };
        assert_eq!((&first.id, &first.body), (&second.id, &second.body));
    }
}
