//! Messages in flight: their number, and the effect of a crash of the sender.

use super::scene::Scene;
use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, code, create_app, redeem, text};
use crate::e2e::operation::receiver::{Message, ReceiverResponse};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use std::any::Any;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

on_sqlite! {
    async fn at_most_four_messages_to_a_host_are_in_flight_and_other_hosts_do_not_wait(world: World) {
        let mut server = world.serve();
        let scene = Scene::new(&world, &server).await;
        let people = connect_people(&world, &server, &scene.app, 6).await;
        let app = ["--name", "Other", "--redirect-uri", REDIRECT_URI];
        let app = create_app(&world, &create_person(&world, "lark@example.org"), &app);
        let other = Scene::at(&world, &server, app, "localhost").await;
        scene.receiver.answer_with(ReceiverResponse::Delayed);
        // So that all messages are due when the sender starts.
        assert_eq!(server.terminate(), Some(0));
        for person in &people {
            world.ok(&["user", "update", person, "--height-cm", "171"]);
        }
        let _second = world.serve_as("second");
        scene.wait_for("records.changed", 4).await;
        // Each of these is found when the sender looks again, and it would start a fifth message then.
        for height in 1..=2 {
            world.ok(&["user", "update", &other.app.user_id, "--height-cm", &format!("17{height}")]);
            other.wait_for("records.changed", height).await;
        }
        let traffic = scene.receiver.traffic();
        assert_eq!((traffic.in_flight, traffic.peak), (4, 4), "{traffic:?}");
        scene.receiver.release(1);
        scene.wait_for("records.changed", 5).await;
        scene.receiver.release(5);
        let messages = scene.wait_for("records.changed", 6).await;
        assert_eq!((ids(&messages).len(), messages.len(), scene.receiver.traffic().peak), (6, 6, 4), "{messages:?}");
        assert_eq!(scene.wait_for_results(&world, 7).await, ["204", "204", "204", "204", "204", "204", "200"]);
    }

    async fn silent_endpoints_of_a_client_do_not_delay_another_of_the_same_host(world: World) {
        let server = world.serve();
        let scene = Scene::new(&world, &server).await;
        let app = ["--name", "Other", "--redirect-uri", REDIRECT_URI];
        let other = create_app(&world, &create_person(&world, "lark@example.org"), &app);
        // Accepts connections and never responds.
        let silent = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
        for number in 0..10 {
            let url = format!("http://{}/{number}", silent.local_addr().expect("address"));
            world.ok(&["webhook", "create", "--client", &other.client_id, "--url", &url]);
        }
        // Four challenges are in flight for 20 seconds each, and six are waiting.
        let changed_at = Instant::now();
        world.ok(&["user", "update", &scene.app.user_id, "--height-cm", "171"]);
        scene.wait_for("records.changed", 1).await;
        assert!(changed_at.elapsed() < Duration::from_secs(30), "{:?}", changed_at.elapsed());
    }
}

on_both_stores! {
    /// Standard Webhooks, Deliverability.
    async fn a_sender_killed_before_it_stores_the_responses_repeats_the_messages(world: World) {
        let world = world.in_processes();
        let mut server = world.serve();
        let scene = Scene::new(&world, &server).await;
        let people = connect_people(&world, &server, &scene.app, 3).await;
        scene.receiver.answer_with(ReceiverResponse::Delayed);
        for person in &people {
            world.ok(&["user", "update", person, "--height-cm", "171"]);
        }
        let first = scene.wait_for("records.changed", 3).await;
        // The sender can read, but not settle.
        let held = hold_settlements(&world).await;
        scene.receiver.release(3);
        eventually("the responses are read", async || (scene.receiver.traffic().read == 3).then_some(())).await;
        server.kill();
        drop(held);
        assert_eq!(scene.wait_for_results(&world, 1).await, ["200"], "only the challenge was settled");
        scene.receiver.answer_with(ReceiverResponse::Status(204));
        let _second = world.serve_as("second");
        let all = scene.wait_for("records.changed", 6).await;
        assert_eq!((ids(&first).len(), ids(&all[3..])), (3, ids(&first)));
        assert_eq!(scene.wait_for_results(&world, 4).await, ["204", "204", "204", "200"]);
        assert_eq!(scene.receiver.messages("records.changed").len(), 6);
    }
}

fn ids(messages: &[Message]) -> BTreeSet<&str> {
    messages.iter().map(|message| message.id.as_str()).collect()
}

/// Creates people who granted everything to an app; returns their ids.
async fn connect_people(world: &World, server: &Server, app: &Registration, count: usize) -> Vec<String> {
    let mut people = Vec::new();
    for number in 0..count {
        let user_id = create_person(world, &format!("owl-{number}@example.org"));
        let grant = Registration { user_id, ..app.clone() };
        redeem(server, &grant, &code(world, &grant, &SCOPES)).await;
        people.push(grant.user_id);
    }
    people
}

fn create_person(world: &World, email: &str) -> String {
    let create = ["user", "create", "--email", email, "--birth-date", "1985-04-12"];
    text(&world.json(&[&create[..], &["--timezone", "Europe/Berlin", "--json"]].concat()), "user_id")
}

/// Blocks the settlement of deliveries until the returned value is dropped.
async fn hold_settlements(world: &World) -> Box<dyn Any> {
    match &world.database {
        Some(database) => Box::new(database.hold("LOCK TABLE webhook_delivery IN SHARE MODE").await),
        // One writer at a time: the transaction holds the write lock.
        None => Box::new(sqlite_adapter::test_support::hold(
            &world.dir.path().join("restwell.db"),
            "UPDATE webhook_delivery SET at = at",
        )),
    }
}
