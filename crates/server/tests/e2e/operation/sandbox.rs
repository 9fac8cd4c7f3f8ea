//! Sandbox people: created, read like anyone, extended every day, erased together.

use super::reader::{Reader, column};
use crate::e2e::app::{REDIRECT_URI, Registration, redeem, register, text};
use crate::e2e::browser::Browser;
use crate::e2e::polling::eventually;
use crate::e2e::security::account::visit::fill;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::Value;

/// Creates sandbox people of these stories with a code each for the app.
fn create(world: &World, app: &Registration, stories: &[&str]) -> Vec<Value> {
    let stories: Vec<&str> = stories.iter().flat_map(|story| ["--story", *story]).collect();
    let command = ["sandbox", "create", "--client", &app.client_id, "--json"];
    world.json_lines(&[&command[..], &stories].concat())
}

async fn reader(server: &Server, app: &Registration, person: &Value) -> Reader {
    let tokens = redeem(server, app, &text(person, "code")).await;
    Reader::new(server, &text(person, "user_id"), &tokens.access)
}

/// Reads the change feed after a cursor to its end; returns the types of the changes and the last cursor.
async fn changes(reader: &Reader, after: Option<String>) -> (Vec<String>, String) {
    let (mut types, mut after) = (Vec::new(), after);
    loop {
        let query = after.map(|cursor| format!("cursor={cursor}")).unwrap_or_default();
        let body = reader.read("changes", &query).await;
        types.extend(column(&body, "type"));
        let cursor = text(&body, "cursor");
        if body["has_more"] == false {
            return (types, cursor);
        }
        after = Some(cursor);
    }
}

on_both_stores! {
    async fn a_sandbox_person_is_read_through_the_api_and_gets_a_night_every_day(world: World) {
        let app = register(&world);
        let people = create(&world, &app, &["regular-sleeper"]);
        let [person] = people.as_slice() else { panic!("{people:?}") };
        assert_eq!((person["story"].as_str(), person["redirect_uri"].as_str()), (Some("regular-sleeper"), Some(REDIRECT_URI)));
        assert!(text(person, "email").ends_with("@sandbox.invalid"));

        let server = world.serve();
        let reader = reader(&server, &app, person).await;
        let before = reader.column("sleep", "pageSize=1000", "id").await;
        assert_eq!(before.len(), 100);
        assert_eq!(reader.column("supplements", "", "id").await.len(), 5);
        assert_eq!(reader.read("profile", "").await["data"]["home_timezone"], "America/New_York");
        let (types, cursor) = changes(&reader, None).await;
        assert_eq!(types.iter().filter(|kind| *kind == "sleep").count(), 100);
        drop(server);

        // The next day: the job is due by the store's clock, which the test does not move.
        world.execute("UPDATE job_lease SET due_at = held_until").await;
        world.advance(TimeDelta::days(1));
        let server = world.serve();
        let again = text(&world.json(&["code", "create", "--client", &app.client_id, "--user", &text(person, "email"),
            "--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--json"]), "code");
        let tokens = redeem(&server, &app, &again).await;
        let reader = Reader::new(&server, &text(person, "user_id"), &tokens.access);
        let after = eventually("a night is added", async || {
            let nights = reader.column("sleep", "pageSize=1000", "id").await;
            (nights.len() > before.len()).then_some(nights)
        })
        .await;
        assert!(before.iter().all(|id| after.contains(id)));
        assert!((1..=2).contains(&(after.len() - before.len())), "{}", after.len());
        // The change feed has the new records alone.
        let (types, _) = changes(&reader, Some(cursor)).await;
        assert_eq!(types.iter().filter(|kind| *kind == "sleep").count(), after.len() - before.len());
        assert!(!types.contains(&"profile".to_owned()), "{types:?}");
        let until = text(&world.json_lines(&["sandbox", "list", "--json"])[0], "records_until");
        let newest = reader.column("sleep", "pageSize=1", "time_in_bed_end").await;
        assert!(newest[0].starts_with(&until), "{newest:?} {until}");
    }

    async fn all_sandbox_people_are_erased_together_and_nobody_else(world: World) {
        let app = register(&world);
        let people = create(&world, &app, &["gaps", "two-devices", "no-stages", "gaps"]);
        let server = world.serve();
        let reader = reader(&server, &app, &people[1]).await;
        reader.read("sleep", "").await;
        assert_eq!(world.json_lines(&["sandbox", "list", "--json"]).len(), 4);

        assert!(world.fails(&["sandbox", "erase"]).contains("--yes"));
        let receipts = world.json_lines(&["sandbox", "erase", "--yes", "--json"]);
        assert_eq!(receipts.len(), 4);
        assert!(receipts.iter().all(|receipt| !text(receipt, "erasure_id").is_empty()));
        assert_eq!(world.json_lines(&["sandbox", "list", "--json"]), Vec::<Value>::new());
        assert_eq!(world.json_lines(&["user", "list", "--json"]).len(), 1);
        world.ok(&["user", "show", &app.user_id]);
        eventually("the token is rejected", async || {
            (reader.ask("sleep", "").await.status == StatusCode::UNAUTHORIZED).then_some(())
        })
        .await;
        assert_eq!(world.json_lines(&["sandbox", "erase", "--yes", "--json"]), Vec::<Value>::new());
    }
}

/// Submits an email address, and a password if the form has such a field; returns the status.
async fn submit(server: &Server, path: &str, email: &str) -> u16 {
    let browser = Browser::new(server);
    let page = browser.get(path).await;
    let mut fields = vec![("email", email)];
    if path == "/sign-in" {
        fields.push(("password", "blue whale 7 harvest moon"));
    }
    browser.submit(&fill(&page, path, &fields)).await.status
}

on_sqlite! {
    async fn the_address_of_a_sandbox_person_opens_no_page_and_gets_no_mail(world: World) {
        let world = world
            .with("RESTWELL__MAIL__HOST", "127.0.0.1")
            .with("RESTWELL__MAIL__TLS", "none")
            .with("RESTWELL__MAIL__PORT", "9")
            .with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true");
        let people = world.json_lines(&["sandbox", "create", "--story", "gaps", "--json"]);
        let email = text(&people[0], "email");
        let server = world.serve();
        for path in ["/sign-in", "/forgot-password", "/sign-up"] {
            assert_eq!(submit(&server, path, &email).await, 422, "{path}");
        }
        assert_eq!(world.number("SELECT count(*) AS number FROM outbox").await, 0);
        assert_eq!(world.number("SELECT count(*) AS number FROM password_link").await, 0);
        assert_eq!(world.number("SELECT count(*) AS number FROM session").await, 0);
        // Any other address gets one.
        assert_eq!(submit(&server, "/sign-up", "ada@example.org").await, 200);
        assert_eq!(world.number("SELECT count(*) AS number FROM password_link").await, 1);
    }

    async fn one_person_of_every_story_is_created_by_default(world: World) {
        let people = world.json_lines(&["sandbox", "create", "--json"]);
        let stories: Vec<String> = people.iter().map(|person| text(person, "story")).collect();
        assert_eq!(stories, ["regular-sleeper", "shift-worker", "clock-changes", "two-devices", "gaps", "no-stages",
            "naps-only", "three-years", "many-supplements"]);
        assert!(people.iter().all(|person| person.get("code").is_none()));
        let three_years = text(&people[7], "user_id");
        let nights = world.ok(&["export", "--user", &three_years]);
        assert!(nights.lines().filter(|line| line.starts_with("{\"type\":\"sleep_session\"")).count() > 1_000);
        // The products of one are not in the catalogue of the others.
        let labels = world.ok(&["export", "--user", &text(&people[8], "user_id")]);
        assert_eq!(labels.lines().filter(|line| line.starts_with("{\"type\":\"supplement\"")).count(), 36);
    }

    async fn sandbox_people_are_apart_from_real_people(world: World) {
        let app = register(&world);
        let people = create(&world, &app, &["naps-only"]);
        let (id, email) = (text(&people[0], "user_id"), text(&people[0], "email"));
        assert!(!world.ok(&["user", "list"]).contains("sandbox.invalid"));
        // Named in the audit trail like anyone.
        let events = world.json_lines(&["audit", "list", "--user", &id, "--json"]);
        assert!(events.iter().any(|event| event["kind"] == "user.created"), "{events:?}");

        for person in [&id, &email] {
            assert!(world.fails(&["user", "reset-password", person]).contains("nobody can sign in"));
            assert!(world.fails(&["user", "update", person, "--email", "ada@example.org"]).contains("cannot be changed"));
            let given = world.run_with_input(&["user", "reset-password", person, "--password-stdin"], "blue whale 7 harvest moon\n");
            let error = String::from_utf8_lossy(&given.stderr).into_owned();
            assert!(!given.status.success() && error.contains("nobody can sign in"), "{error}");
        }
        // No other account can have an address of the sandbox.
        for taken in [email.as_str(), "ada@sandbox.invalid", "ada@SANDBOX.invalid"] {
            let create = ["user", "create", "--email", taken, "--timezone", "UTC", "--no-password"];
            assert!(world.fails(&create).contains("not an email address"), "{taken}");
            let update = ["user", "update", &app.user_id, "--email", taken];
            assert!(world.fails(&update).contains("not an email address"), "{taken}");
        }
    }

    async fn unknown_stories_and_clients_create_nobody(world: World) {
        let nobody = "aaaaaaaa-0000-4000-8000-00000000dead";
        assert!(world.fails(&["sandbox", "create", "--story", "insomniac"]).contains("regular-sleeper"));
        assert!(world.fails(&["sandbox", "create", "--client", nobody]).contains("there is no client"));
        let public = ["client", "create", "--public", "--name", "Pocket", "--redirect-uri", "http://127.0.0.1/done", "--scope", "sleep", "--json"];
        let public = text(&world.json(&public), "client_id");
        assert!(world.fails(&["sandbox", "create", "--client", &public]).contains("--code-challenge"));
        assert_eq!(world.json_lines(&["sandbox", "list", "--json"]), Vec::<Value>::new());
    }
}
