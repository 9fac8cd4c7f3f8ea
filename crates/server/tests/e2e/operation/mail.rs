//! Email: each link is delivered once, even if the mail server fails.

use super::mail_server::{MailServer, Message, Verdict, closed_port, with_mail};
use crate::e2e::app::text;
use crate::e2e::browser::Browser;
use crate::e2e::collector::metrics;
use crate::e2e::polling::eventually;
use crate::e2e::security::account::people::{
    OTHER_PASSWORD, PASSWORD, person, person_without_password, trail,
};
use crate::e2e::security::account::visit::{fill, sign_in, try_to_sign_in};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const EMAIL: &str = "sam@example.org";

/// Makes all email an hour old.
const ONE_HOUR_AGO: &str = "UPDATE outbox SET queued_at = queued_at - 3600000000";

/// Requests a link on one of the two pages that send one.
async fn ask(server: &Server, path: &str, email: &str) -> String {
    let browser = Browser::new(server);
    let page = browser.get(path).await;
    let reply = browser.submit(&fill(&page, path, &[("email", email)])).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

/// Sets a password with a link; returns the status.
async fn choose(server: &Server, link: &str, password: &str) -> u16 {
    let browser = Browser::new(server);
    let page = browser.get(link).await;
    if page.status != 200 {
        return page.status;
    }
    browser.submit(&fill(&page, "/set-password", &[("password", password)])).await.status
}

on_all_stores! {
    async fn two_servers_send_each_message_once(world: World) {
        const PEOPLE: usize = 12;
        let mail = MailServer::start().await;
        let world = with_mail(world, mail.port);
        let people: Vec<String> = (0..PEOPLE).map(|number| format!("person-{number}@example.org")).collect();
        for email in &people {
            person_without_password(&world, email);
        }
        let mut servers = [world.serve(), world.serve_as("second")];
        for (number, email) in people.iter().enumerate() {
            ask(&servers[number % 2], "/forgot-password", email).await;
        }
        mail.wait_for(PEOPLE).await;
        for server in &mut servers {
            // A stopped server sends nothing.
            assert_eq!(server.terminate(), Some(0));
        }
        let messages = mail.messages();
        let to: BTreeSet<_> = messages.iter().map(|message| message.to.clone()).collect();
        let secrets: BTreeSet<_> = messages.iter().map(Message::secret).collect();
        assert_eq!(to, people.into_iter().collect());
        assert_eq!((messages.len(), secrets.len()), (PEOPLE, PEOPLE));
    }

    async fn an_unavailable_mail_server_delays_messages_and_loses_none(world: World) {
        let world = world.in_processes();
        let port = closed_port().await;
        let world = with_mail(world, port);
        person(&world, EMAIL, PASSWORD);
        let mut server = world.serve();
        let asked_at = Instant::now();
        ask(&server, "/forgot-password", EMAIL).await;
        assert!(asked_at.elapsed() < Duration::from_secs(20), "the person waited for the mail server");
        let line = wait_for_line(&server, "a message was not sent").await;
        assert!(text(&line, "trouble").contains("trying again later"), "{line}");
        assert!(!server.log().contains(EMAIL) && !server.log().contains("rwl_"), "{}", server.log());
        // The message survives a crash and a restart.
        server.kill();
        // Simulates the delay until the next attempt.
        world.execute("UPDATE outbox SET due_at = queued_at").await;
        let mail = MailServer::start_at(port, Verdict::Accepted).await;
        let server = world.serve_as("again");
        let message = mail.wait_for(1).await.remove(0);
        assert_eq!(choose(&server, &message.link(), OTHER_PASSWORD).await, 200);
        sign_in(&Browser::new(&server), EMAIL, OTHER_PASSWORD).await;
    }
}

on_sqlite! {
    async fn a_password_reset_sends_one_message_with_a_single_use_link(world: World) {
        let mail = MailServer::start().await;
        let world = with_mail(world, mail.port);
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let browser = Browser::new(&server);
        sign_in(&browser, EMAIL, PASSWORD).await;
        let shown = ask(&server, "/forgot-password", "SAM@example.org").await;
        let nobody = ask(&server, "/forgot-password", "kim@example.org").await;
        assert_eq!(shown, nobody);
        let message = mail.wait_for(1).await.remove(0);
        // The message goes to the address of the account, not to the one that was entered.
        assert_eq!(message.to, EMAIL);
        assert!(message.text.contains(&server.base_url) || message.text.contains("http://127.0.0.1"), "{message:?}");
        assert!(!message.text.contains(&user) && !message.text.contains(PASSWORD));
        let link = message.link();
        // Opening the link does not use it up: mail servers open links too.
        for _ in 0..2 {
            assert_eq!(Browser::new(&server).get(&link).await.status, 200);
        }
        assert_eq!(choose(&server, &link, "too short").await, 422);
        assert_eq!(choose(&server, &link, OTHER_PASSWORD).await, 200);
        assert_eq!(choose(&server, &link, PASSWORD).await, 400);
        assert!(!browser.is_signed_in().await, "a new password ends every session");
        assert_eq!(try_to_sign_in(&browser, EMAIL, PASSWORD).await.status, 422);
        sign_in(&browser, EMAIL, OTHER_PASSWORD).await;
        // The person is notified of the change; no other message was sent.
        let reported = mail.wait_for(2).await;
        assert!(reported[1].to == EMAIL && reported[1].text.contains("was just changed"), "{reported:?}");
        assert_eq!(reported.len(), 2);
        assert_eq!(trail(&world, &["--kind", "password.link_issued", "--user", &user]).len(), 1);
        assert_eq!(trail(&world, &["--kind", "password.set", "--user", &user]).len(), 2);
    }

    async fn queued_email_is_measured_with_its_age(world: World) {
        let world = world.in_processes();
        let world = with_mail(world, closed_port().await).with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0");
        person(&world, EMAIL, PASSWORD);
        let mut server = world.serve();
        eventually("nothing waits", async || {
            let page = metrics(&server).await;
            (page.contains("restwell_mail_waiting 0\n") && page.contains("restwell_mail_oldest_wait_seconds 0\n")).then_some(())
        }).await;
        ask(&server, "/forgot-password", EMAIL).await;
        server.kill();
        world.execute(ONE_HOUR_AGO).await;
        // The gauge is updated at the start, and then four times a minute.
        let server = world.serve_as("again");
        let page = eventually("it is counted", async || Some(metrics(&server).await).filter(|page| page.contains("restwell_mail_waiting 1\n"))).await;
        let wait = page.lines().find_map(|line| line.strip_prefix("restwell_mail_oldest_wait_seconds ")).expect("wait");
        assert!((3600.0..4200.0).contains(&wait.parse::<f64>().expect("number")), "{wait}");
    }

    async fn a_message_queued_without_a_running_server_is_sent_by_the_next_one(world: World) {
        let mail = MailServer::start().await;
        let world = with_mail(world, mail.port);
        let created = world.json(&["user", "create", "--email", EMAIL, "--timezone", "Europe/Berlin", "--json"]);
        assert_eq!(created["password_link"], "mailed");
        assert!(mail.messages().is_empty());
        let server = world.serve();
        let invitation = mail.wait_for(1).await.remove(0);
        assert!(invitation.to == EMAIL && invitation.text.contains("An account was created for you"), "{invitation:?}");
        // A newer link of the operator invalidates the older one.
        let user = text(&created, "user_id");
        assert_eq!(world.json(&["user", "reset-password", &user, "--json"])["password_link"], "mailed");
        let newer = mail.wait_for(2).await.remove(1);
        assert_eq!(choose(&server, &invitation.link(), PASSWORD).await, 400);
        assert_eq!(choose(&server, &newer.link(), PASSWORD).await, 200);
        sign_in(&Browser::new(&server), EMAIL, PASSWORD).await;
    }

    async fn sign_up_works_if_the_operator_enabled_it(world: World) {
        let mail = MailServer::start().await;
        let world = with_mail(world, mail.port);
        person(&world, EMAIL, PASSWORD);
        let closed = world.serve_as("closed");
        assert_eq!(Browser::new(&closed).get("/sign-up").await.status, 404);
        assert!(!Browser::new(&closed).get("/sign-in").await.body.contains("/sign-up"));
        drop(closed);
        let world = world.with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true");
        let server = world.serve();
        assert!(Browser::new(&server).get("/sign-in").await.body.contains("/sign-up"));
        let fresh = ask(&server, "/sign-up", "kim@example.org").await;
        let taken = ask(&server, "/sign-up", EMAIL).await;
        assert_eq!(fresh, taken);
        let messages = mail.wait_for(2).await;
        let to = |email: &str| messages.iter().find(|message| message.to == email).expect("message").clone();
        // An existing account is reported by email only, without a link.
        assert!(to(EMAIL).text.contains("it already has one") && !to(EMAIL).text.contains("rwl_"));
        let link = to("kim@example.org").link();
        assert_eq!(world.ok(&["user", "list", "--json"]).lines().count(), 1, "nobody has followed the link yet");
        let browser = Browser::new(&server);
        let page = browser.get(&link).await;
        let without_zone = browser.submit(&fill(&page, "/set-password", &[("password", PASSWORD)])).await;
        assert_eq!(without_zone.status, 422);
        let fields = [("password", PASSWORD), ("time_zone", "Asia/Tokyo")];
        // The new account is signed in.
        assert_eq!(browser.submit(&fill(&page, "/set-password", &fields)).await.own_location(), "/");
        assert_eq!(browser.submit(&fill(&page, "/set-password", &fields)).await.status, 400, "the link works once");
        let account = browser.open("/account").await.body;
        assert!(account.contains("Asia/Tokyo") && account.contains("kim@example.org"), "{account}");
        let kinds: Vec<_> = trail(&world, &["--kind", "user.created"]).iter().map(|event| text(event, "actor")).collect();
        assert_eq!(kinds, ["person", "operator"]);
    }
}

/// Waits for the log line with this message.
async fn wait_for_line(server: &Server, message: &str) -> Value {
    eventually("it is logged", async || {
        let log = server.log();
        let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.find(|line| line["message"] == message)
    })
    .await
}

/// Runs `restwell mail test` with this world's settings; returns whether it succeeded, and both outputs.
async fn test_message(world: &World, address: &str) -> (bool, String, String) {
    let mut command = world.command(&["mail", "test", address, "--json"]);
    // The mail server runs on this test's threads.
    let output =
        tokio::task::spawn_blocking(move || command.output().expect("restwell runs")).await.expect("output");
    let [result, notes] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (output.status.success(), result, notes)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_message_is_sent_without_a_server_and_each_step_is_reported() {
    let mail = MailServer::start().await;
    let world = with_mail(World::new(StoreKind::Sqlite).await.in_processes(), mail.port);
    let (succeeded, result, notes) = test_message(&world, EMAIL).await;
    assert!(succeeded, "{notes}");
    assert_eq!(result, format!("{{\"accepted_by\":\"127.0.0.1:{}\"}}\n", mail.port));
    let steps: Vec<&str> = notes.lines().collect();
    let expected = ["connected to", "accepts the sender", "accepts the recipient", "accepted the message"];
    assert_eq!(steps.len(), expected.len(), "{notes}");
    for (step, expected) in steps.into_iter().zip(expected) {
        assert!(step.contains(expected), "{notes}");
    }
    let [message] = mail.messages().try_into().expect("one message");
    assert!(message.to == EMAIL && message.text.contains("test message"), "{message:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_message_that_is_not_accepted_fails_at_its_step() {
    let mail = MailServer::start_at(0, Verdict::Later).await;
    let world = with_mail(World::new(StoreKind::Sqlite).await.in_processes(), mail.port);
    let (succeeded, result, notes) = test_message(&world, EMAIL).await;
    assert!(!succeeded && result.is_empty(), "{notes}");
    assert!(notes.contains("accepts the recipient") && notes.contains("DATA with code 451"), "{notes}");
    assert!(!notes.contains(EMAIL), "{notes}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_message_needs_a_mail_server_that_answers() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let (succeeded, _, notes) = test_message(&world, EMAIL).await;
    assert!(!succeeded && notes.contains("set mail.host"), "{notes}");
    let world = with_mail(world, closed_port().await);
    let (succeeded, _, notes) = test_message(&world, EMAIL).await;
    assert!(!succeeded && notes.contains("the test message was not sent"), "{notes}");
    let (succeeded, _, notes) = test_message(&world, "nobody").await;
    assert!(!succeeded && notes.contains("ADDRESS"), "{notes}");
}
