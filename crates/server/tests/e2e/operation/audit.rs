//! The audit trail and the record of reads, from the operator's view.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{Registration, SCOPES, ask_refresh, code, redeem, register, text};
use crate::e2e::browser::Browser;
use crate::e2e::polling::eventually;
use crate::e2e::security::account::people::{PASSWORD, WRONG_PASSWORD, give_password, person, trail};
use crate::e2e::security::account::visit::{fill, make_token, sign_in, try_to_sign_in};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use application::ports::system::Clock as _;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use system_adapter::SystemClock;

/// Lists the recorded reads of a person's data.
fn reads(world: &World, user: &str) -> Vec<Value> {
    world.json_lines(&["audit", "reads", user, "--json"])
}

/// Sums the reads of one kind: requests and items.
fn sum(reads: &[Value], kind: &str) -> (u64, u64) {
    let number = |read: &Value, name: &str| read[name].as_u64().unwrap_or_else(|| panic!("{name}: {read}"));
    let of_kind = reads.iter().filter(|read| read["read"] == kind);
    of_kind.fold((0, 0), |(requests, items), read| {
        (requests + number(read, "requests"), items + number(read, "items"))
    })
}

/// Waits until this many requests of a kind are recorded.
async fn wait_for_reads(world: &World, user: &str, kind: &str, requests: u64) -> Vec<Value> {
    eventually("the reads are recorded", async || {
        let found = reads(world, user);
        (sum(&found, kind).0 >= requests).then_some(found)
    })
    .await
}

fn kinds(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| text(event, "kind")).collect()
}

/// Creates a person with two nights, and a client with a grant.
async fn scene(world: &World) -> (Registration, Server, Reader) {
    let registration = register(world);
    let nights = world.file("nights.ndjson", &records::nights(2, 1));
    world.ok(&["import", "--user", &registration.user_id, &nights]);
    let server = world.serve();
    let reader = Reader::authorized(world, &server, &registration).await;
    (registration, server, reader)
}

on_all_stores! {
    async fn a_crash_loses_no_stored_read_and_no_event(world: World) {
        let world = world.in_processes();
        let (registration, mut server, reader) = scene(&world).await;
        let user = registration.user_id.as_str();
        reader.read("profile", "").await;
        wait_for_reads(&world, user, "profile", 1).await;
        let before = trail(&world, &["--limit", "1000"]);
        server.kill();
        let _server = world.serve_as("after-the-crash");
        assert_eq!(sum(&reads(&world, user), "profile"), (1, 1));
        let after = trail(&world, &["--limit", "1000"]);
        assert!(before.iter().all(|event| after.contains(event)));
    }
}

on_sqlite! {
    async fn events_are_in_the_trail_with_subject_and_actor(world: World) {
        let registration = register(&world);
        let (user, client) = (registration.user_id.as_str(), registration.client_id.as_str());
        give_password(&world, user, PASSWORD);
        let server = world.serve();
        let browser = Browser::new(&server);
        try_to_sign_in(&browser, "sleeper@example.org", WRONG_PASSWORD).await;
        sign_in(&browser, "sleeper@example.org", PASSWORD).await;
        make_token(&browser, "Notebook", "sleep").await;
        let page = browser.get("/tokens").await;
        assert_eq!(browser.submit(&fill(&page, "/tokens/revoke", &[])).await.status, 303);
        redeem(&server, &registration, &code(&world, &registration, &SCOPES)).await;
        let page = browser.get("/apps").await;
        assert_eq!(browser.submit(&fill(&page, "/apps/disconnect", &[])).await.status, 303);
        let page = browser.get("/apps").await;
        browser.submit(&fill(&page, "/sign-out", &[])).await;
        world.ok(&["client", "rotate-secret", client]);
        world.ok(&["client", "disable", client]);
        world.ok(&["client", "enable", client]);
        world.ok(&["key", "rotate"]);
        world.ok(&["user", "update", user, "--timezone", "Asia/Tokyo"]);
        world.ok(&["user", "lock", user]);
        world.ok(&["user", "unlock", user]);

        let events = trail(&world, &[]);
        let mut reported: Vec<_> = events.iter().rev().map(|event| (text(event, "kind"), text(event, "actor"))).collect();
        reported.retain(|(kind, _)| !kind.starts_with("key."));
        let expected = [
            ("user.created", "operator"), ("client.created", "operator"), ("password.set", "operator"),
            ("session.refused", "person"), ("session.signed_in", "person"), ("personal_token.created", "person"),
            ("personal_token.revoked", "person"), ("code.issued", "operator"), ("grant.created", "client"),
            ("grant.revoked", "person"), ("session.signed_out", "person"), ("client.secret_rotated", "operator"),
            ("client.disabled", "operator"), ("client.enabled", "operator"), ("user.changed", "operator"),
            ("user.locked", "operator"), ("user.unlocked", "operator"),
        ].map(|(kind, actor)| (kind.to_owned(), actor.to_owned()));
        let mut missing: Vec<_> = expected.iter().filter(|expected| !reported.contains(expected)).collect();
        missing.dedup();
        assert!(missing.is_empty(), "{missing:?} is missing in {reported:?}");
        assert!(kinds(&events).iter().any(|kind| kind == "key.created"));
        for event in &events {
            let members: Vec<_> = event.as_object().expect("object").keys().map(String::as_str).collect();
            assert_eq!(members, ["actor", "address", "at", "browser", "client_id", "count", "event_id", "kind", "scopes", "subject", "user_id"]);
            let (address, actor) = (&event["address"], &event["actor"]);
            assert!(address == "127.0.0.1" || (address.is_null() && actor != "person"), "{event}");
            assert!(address.is_null() || actor != "operator", "{event}");
            assert!(actor != "person" || event["user_id"] == user, "{event}");
        }
        // No input or secret is in it.
        let everything = world.ok(&["audit", "list", "--json"]) + &world.ok(&["audit", "list"]);
        for hidden in ["sleeper@", PASSWORD, WRONG_PASSWORD, "rw", "Notebook", "Night Reader", "Europe/", "Asia/"] {
            assert!(!everything.contains(hidden), "{hidden}");
        }
    }

    async fn the_trail_is_filtered_by_person_client_kind_time_and_number(world: World) {
        let registration = register(&world);
        let (user, client) = (registration.user_id.as_str(), registration.client_id.as_str());
        let other = person(&world, "kim@example.org", PASSWORD);
        let of_user = trail(&world, &["--user", user]);
        assert!(!of_user.is_empty() && of_user.iter().all(|event| event["user_id"] == user));
        let of_client = trail(&world, &["--client", client]);
        assert!(!of_client.is_empty() && of_client.iter().all(|event| event["client_id"] == client));
        assert_eq!(kinds(&trail(&world, &["--kind", "user.created"])), ["user.created", "user.created"]);
        assert_eq!(kinds(&trail(&world, &["--kind", "user.created", "--user", &other])), ["user.created"]);
        assert!(trail(&world, &["--kind", "user.created", "--client", client]).is_empty());

        // Latest first; `--since` is inclusive.
        let all = trail(&world, &[]);
        let moments: Vec<DateTime<Utc>> = all.iter().map(|event| text(event, "at").parse().expect("moment")).collect();
        assert!(moments.is_sorted_by(|later, earlier| later >= earlier), "{moments:?}");
        let since = text(&all[1], "at");
        let expected = moments.iter().filter(|at| **at >= moments[1]).count();
        assert_eq!(trail(&world, &["--since", &since]).len(), expected);
        let future = (SystemClock.now() + TimeDelta::hours(1)).to_rfc3339();
        assert!(trail(&world, &["--since", &future]).is_empty());
        assert_eq!(trail(&world, &["--limit", "2"]), all[..2]);
        assert!(trail(&world, &["--limit", "0"]).is_empty());
        let human = world.ok(&["audit", "list"]);
        assert_eq!(human.lines().count(), all.len() + 1, "{human}");
        for (arguments, named) in [
            (&["audit", "list", "--kind", "user.danced"][..], "user.created"),
            (&["audit", "list", "--since", "yesterday"], "2026-"),
            (&["audit", "list", "--user", "kim"], "--user"),
            (&["audit", "reads"], "<USER>"),
        ] {
            let output = world.run(arguments);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && errors.contains(named), "{arguments:?}: {errors}");
        }
    }

    async fn reads_are_summed_within_seconds_and_shown_to_the_person(world: World) {
        let (registration, server, reader) = scene(&world).await;
        let user = registration.user_id.as_str();
        give_password(&world, user, PASSWORD);
        for _ in 0..3 {
            reader.read("profile", "").await;
        }
        reader.read("sleep", "startDate=2026-01-02&endDate=2026-01-05").await;
        let nights = reader.read("sleep", "").await["data"].as_array().expect("nights").len();
        reader.read("supplements", "").await;
        // Rejected requests are not reads.
        reader.ask("sleep", "page=0").await;
        Reader::new(&server, user, "no token").ask("sleep", "").await;
        wait_for_reads(&world, user, "supplements", 1).await;
        let found = wait_for_reads(&world, user, "profile", 3).await;
        assert_eq!(sum(&found, "profile"), (3, 3));
        let (requests, items) = sum(&found, "sleep");
        assert!(requests == 2 && items >= nights as u64 && nights == 2, "{found:?}");
        for read in &found {
            assert_eq!((&read["reader"], &read["reader_id"]), (&json!("client"), &json!(registration.client_id)));
            assert_eq!(read["name"], "Night Reader");
            let minute: DateTime<Utc> = text(read, "minute").parse().expect("minute");
            assert_eq!(minute.timestamp() % 60, 0);
        }
        assert_eq!(world.ok(&["audit", "reads", user]).lines().count(), found.len() + 1);
        assert_eq!(world.ok(&["audit", "reads", user, "--limit", "1", "--json"]).lines().count(), 1);
        let browser = Browser::new(&server);
        sign_in(&browser, "sleeper@example.org", PASSWORD).await;
        let page = browser.get("/activity").await;
        assert!(page.status == 200 && page.body.contains("Night Reader"), "{page:?}");
    }

    async fn refreshes_and_personal_tokens_are_summed_separately(world: World) {
        let registration = register(&world);
        let user = registration.user_id.as_str();
        give_password(&world, user, PASSWORD);
        let server = world.serve();
        let tokens = redeem(&server, &registration, &code(&world, &registration, &SCOPES)).await;
        for _ in 0..2 {
            assert_eq!(ask_refresh(&server, &registration, &tokens.refresh).await.status(), 200);
        }
        let browser = Browser::new(&server);
        sign_in(&browser, "sleeper@example.org", PASSWORD).await;
        let token = make_token(&browser, "Notebook", "sleep").await;
        Reader::new(&server, user, &token).read("sleep", "").await;
        let found = wait_for_reads(&world, user, "sleep", 1).await;
        let found = if sum(&found, "refresh").0 < 2 { wait_for_reads(&world, user, "refresh", 2).await } else { found };
        let by_token: Vec<_> = found.iter().filter(|read| read["reader"] == "personal_token").collect();
        assert_eq!(by_token.len(), 1, "{found:?}");
        assert_eq!((&by_token[0]["name"], &by_token[0]["read"]), (&json!("Notebook"), &json!("sleep")));
        assert_eq!(sum(&found, "refresh"), (2, 0));
    }

    async fn reads_of_the_last_second_are_stored_before_a_server_stops(world: World) {
        let world = world.in_processes();
        let (registration, mut server, reader) = scene(&world).await;
        let user = registration.user_id.as_str();
        for _ in 0..30 {
            reader.read("profile", "").await;
        }
        assert_eq!(server.terminate(), Some(0));
        // Without waiting: a missing read would never be recorded.
        assert_eq!(sum(&reads(&world, user), "profile"), (30, 30));
        assert!(!server.log().contains("was not stored"), "{}", server.log());
    }
}
