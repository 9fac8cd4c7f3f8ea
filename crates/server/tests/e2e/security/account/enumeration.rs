//! The pages do not reveal which accounts exist.

use super::people::{PASSWORD, WRONG_PASSWORD, person, person_without_password};
use super::visit::{fill, form_token, sign_in, without_request_id};
use crate::e2e::browser::Browser;
use crate::e2e::browser::Page;
use crate::e2e::world::World;
use std::collections::BTreeMap;

/// Addresses of the same length, so that even the lengths of responses must be equal.
const KNOWN: &str = "known@example.org";
const LOCKED: &str = "block@example.org";
const WITHOUT_PASSWORD: &str = "empty@example.org";
const DELETED: &str = "erase@example.org";
const UNKNOWN: &str = "noone@example.org";

/// Creates the people of those addresses, except for the last one.
fn people(world: &World) {
    person(world, KNOWN, PASSWORD);
    let locked = person(world, LOCKED, PASSWORD);
    world.ok(&["user", "lock", &locked]);
    person_without_password(world, WITHOUT_PASSWORD);
    let deleted = person(world, DELETED, PASSWORD);
    world.ok(&["user", "delete", &deleted, "--yes"]);
}

/// Configures a mail server at a port without a listener.
fn with_mail(world: World) -> World {
    world
        .with("RESTWELL__MAIL__HOST", "127.0.0.1")
        .with("RESTWELL__MAIL__TLS", "none")
        .with("RESTWELL__MAIL__PORT", "9")
}

/// Visible parts of a response, without values of this browser and its input.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    status: u16,
    headers: BTreeMap<String, Vec<String>>,
    body: String,
}

impl Seen {
    fn new(reply: &Page, typed: &str, token: &str) -> Self {
        let mut headers = BTreeMap::<_, Vec<_>>::new();
        for (name, value) in &reply.headers {
            if !matches!(name.as_str(), "date" | "x-request-id") {
                let value = value.to_str().expect("ASCII").to_owned();
                headers.entry(name.as_str().to_owned()).or_default().push(value);
            }
        }
        let body = reply.body.replace(typed, "(typed)").replace(token, "(token)");
        Self { status: reply.status, headers, body }
    }
}

/// Opens a page in a new browser and submits its form, once for each address.
async fn seen_by_each(
    server: &crate::e2e::server::Server,
    path: &str,
    filled_in: &[&[(&str, &str)]],
) -> Vec<Seen> {
    let mut seen = Vec::new();
    for fields in filled_in {
        let browser = Browser::new(server);
        let page = browser.get(path).await;
        let reply = browser.submit(&fill(&page, path, fields)).await;
        seen.push(Seen::new(&reply, fields[0].1, &form_token(&page, path)));
    }
    seen
}

#[track_caller]
fn assert_all_the_same(seen: &[Seen], status: u16) {
    assert_eq!(seen[0].status, status, "{:?}", seen[0]);
    assert!(!seen[0].headers.contains_key("set-cookie"), "{:?}", seen[0]);
    for other in seen {
        assert_eq!(other, &seen[0]);
    }
}

on_sqlite! {
    // T80
    async fn every_failed_sign_in_gets_the_same_response(world: World) {
        people(&world);
        let server = world.serve();
        let attempts: Vec<[(&str, &str); 2]> =
            [(KNOWN, WRONG_PASSWORD), (LOCKED, PASSWORD), (WITHOUT_PASSWORD, PASSWORD), (DELETED, PASSWORD), (UNKNOWN, PASSWORD)]
                .map(|(email, password)| [("email", email), ("password", password)]).into();
        let attempts: Vec<&[(&str, &str)]> = attempts.iter().map(AsRef::as_ref).collect();
        assert_all_the_same(&seen_by_each(&server, "/sign-in", &attempts).await, 422);
        // The right password still works.
        sign_in(&Browser::new(&server), KNOWN, PASSWORD).await;
    }

    // T80
    async fn a_password_reset_gets_the_same_response_for_unknown_accounts(world: World) {
        let world = with_mail(world);
        people(&world);
        let server = world.serve();
        let addresses: Vec<[(&str, &str); 1]> =
            [KNOWN, LOCKED, WITHOUT_PASSWORD, DELETED, UNKNOWN].map(|email| [("email", email)]).into();
        let addresses: Vec<&[(&str, &str)]> = addresses.iter().map(AsRef::as_ref).collect();
        let seen = seen_by_each(&server, "/forgot-password", &addresses).await;
        assert_all_the_same(&seen, 200);
        assert!(seen[0].body.contains("If there is an account with this address"), "{}", seen[0].body);
        // The same applies when the limit is reached.
        let mut last = Vec::new();
        for email in [KNOWN, UNKNOWN] {
            let browser = Browser::new(&server);
            let mut statuses = Vec::new();
            for _ in 0..5 {
                let page = browser.get("/forgot-password").await;
                let reply = browser.submit(&fill(&page, "/forgot-password", &[("email", email)])).await;
                statuses.push((reply.status, without_request_id(&reply)));
            }
            last.push(statuses);
        }
        assert_eq!(last[0], last[1]);
        assert_eq!(last[0][4].0, 429);
    }

    // T80
    async fn a_sign_up_gets_the_same_response_for_existing_accounts(world: World) {
        let world = with_mail(world).with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true");
        people(&world);
        let server = world.serve();
        let addresses: Vec<[(&str, &str); 1]> =
            [KNOWN, LOCKED, WITHOUT_PASSWORD, DELETED, UNKNOWN].map(|email| [("email", email)]).into();
        let addresses: Vec<&[(&str, &str)]> = addresses.iter().map(AsRef::as_ref).collect();
        let seen = seen_by_each(&server, "/sign-up", &addresses).await;
        assert_all_the_same(&seen, 200);
    }
}
