//! The change feed: an app that follows it has exactly the records of the data endpoints.

use super::reader::{Reader, column};
use super::records;
use crate::e2e::app::{self, register, text};
use crate::e2e::world::{StoreKind, World};
use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Records by type and id.
type Records = BTreeMap<(String, String), Value>;

/// State of an app: a copy of the records, and the cursor.
#[derive(Clone, Debug, Default)]
struct Follower {
    cursor: Option<String>,
    records: Records,
}

impl Follower {
    /// Requests and applies one page; returns the changes and whether there are more.
    async fn ask(&mut self, reader: &Reader, query: &str) -> (Vec<Value>, bool) {
        let cursor = self.cursor.iter().map(|cursor| format!("cursor={cursor}"));
        let given: Vec<String> = cursor.chain((!query.is_empty()).then(|| query.to_owned())).collect();
        let body = reader.read("changes", &given.join("&")).await;
        let changes = body["data"].as_array().expect("data").clone();
        for change in &changes {
            self.apply(change);
        }
        self.cursor = Some(text(&body, "cursor"));
        (changes, body["has_more"].as_bool().expect("has_more"))
    }

    fn apply(&mut self, change: &Value) {
        let key = (text(change, "type"), text(change, "id"));
        match change["op"].as_str() {
            Some("upsert") => self.records.insert(key, change["record"].clone()),
            Some("delete") => self.records.remove(&key),
            _ => panic!("{change}"),
        };
    }

    /// Requests pages until there are no more; returns the changes as `type op`.
    async fn follow(&mut self, reader: &Reader, query: &str) -> Vec<String> {
        let mut reported = Vec::new();
        loop {
            let (changes, has_more) = self.ask(reader, query).await;
            reported.extend(
                changes.iter().map(|change| format!("{} {}", text(change, "type"), text(change, "op"))),
            );
            if !has_more {
                return reported;
            }
        }
    }
}

/// Reads all data endpoints into the form of a copy.
async fn stored(reader: &Reader) -> Records {
    let mut records = Records::new();
    let profile = reader.read("profile", "").await["data"].clone();
    records.insert(("profile".to_owned(), text(&profile, "user_id")), profile);
    let sleep = reader.read("sleep", "include_stages=1&include_metrics=1&pageSize=10000").await;
    for session in sleep["data"].as_array().expect("data") {
        records.insert(("sleep".to_owned(), text(session, "id")), session.clone());
    }
    let supplements = reader.read("supplements", "pageSize=10000").await;
    for supplement in supplements["data"].as_array().expect("data") {
        for log in supplement["logs"].as_array().expect("logs") {
            let record = json!({"id": supplement["id"], "details": supplement["details"], "logs": [log]});
            records.insert(("supplements".to_owned(), text(log, "id")), record);
        }
    }
    assert_eq!(sleep["pagination"]["has_more"], false);
    records
}

/// Undoes the latest import of a person.
fn undo_latest(world: &World, user: &str) {
    let imports = world.ok(&["import", "list", "--user", user, "--limit", "1", "--json"]);
    let import: Value = serde_json::from_str(imports.lines().next().expect("an import")).expect("JSON");
    world.ok(&["import", "undo", &text(&import, "import_id")]);
}

fn import(world: &World, user: &str, name: &str, content: &str) {
    let file = world.file(name, content);
    world.ok(&["import", "--user", user, "--timezone", "America/New_York", &file]);
}

fn count(reported: &[String], what: &str) -> usize {
    reported.iter().filter(|one| *one == what).count()
}

on_sqlite! {
    async fn a_follower_has_the_records_of_the_data_endpoints(world: World) {
        let registration = register(&world);
        let user = &registration.user_id;
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let mut copy = Follower::default();
        assert_eq!(copy.follow(&reader, "").await, ["profile upsert"]);
        assert_eq!(copy.records, stored(&reader).await);

        import(&world, user, "lines.ndjson", &(records::label_stub(900_001) + "\n" + &records::odd_lines()));
        import(&world, user, "sleep.json", &records::fitbit());
        let reported = copy.follow(&reader, "limit=3").await;
        assert_eq!((count(&reported, "sleep upsert"), count(&reported, "supplements upsert")), (9, 6), "{reported:?}");
        assert_eq!(copy.records, stored(&reader).await);
        assert_eq!(copy.records.len(), 16);

        // Nothing changed, so there are no changes.
        assert!(copy.follow(&reader, "").await.is_empty());

        // An update appears once more, in its current state.
        world.ok(&["user", "update", user, "--timezone", "Asia/Kathmandu"]);
        import(&world, user, "again.json", &records::fitbit().replace("\"deep\"", "\"light\""));
        let reported = copy.follow(&reader, "limit=1").await;
        assert_eq!((count(&reported, "profile upsert"), count(&reported, "sleep upsert"), reported.len()), (1, 2, 3));
        assert_eq!(copy.records, stored(&reader).await);

        // Undoing an import deletes its records, also for an app that never saw them.
        import(&world, user, "more.ndjson", &records::nights(5, 3));
        assert_eq!(copy.follow(&reader, "").await, vec!["sleep upsert"; 5]);
        let mut late = copy.clone();
        import(&world, user, "most.ndjson", &records::nights(7, 2).replace("ring", "watch"));
        copy.follow(&reader, "limit=2").await;
        undo_latest(&world, user);
        assert_eq!(copy.follow(&reader, "limit=2").await, vec!["sleep delete"; 7]);
        assert_eq!(late.follow(&reader, "").await, vec!["sleep delete"; 7]);
        let expected = stored(&reader).await;
        assert_eq!((&copy.records, &late.records), (&expected, &expected));

        // A follower that starts over gets the same records.
        let mut fresh = Follower::default();
        fresh.follow(&reader, "limit=4").await;
        assert_eq!(fresh.records, expected);
    }

    async fn a_cursor_expires_between_89_and_91_days(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let cursor = text(&reader.read("changes", "").await, "cursor");
        world.advance(TimeDelta::days(89));
        let reader = Reader::authorized(&world, &server, &registration).await;
        assert_eq!(reader.read("changes", &format!("cursor={cursor}")).await["data"], json!([]));
        world.advance(TimeDelta::days(2));
        let reader = Reader::authorized(&world, &server, &registration).await;
        let gone = reader.ask("changes", &format!("cursor={cursor}")).await;
        assert_eq!((gone.status, text(&gone.json(), "code")), (StatusCode::GONE, "cursor_expired".to_owned()));
        assert_eq!(gone.header("x-ratelimit-remaining"), "9999");
    }

    async fn types_and_scopes_filter_the_changes(world: World) {
        let registration = register(&world);
        let user = &registration.user_id;
        import(&world, user, "lines.ndjson", &(records::label_stub(900_001) + "\n" + &records::odd_lines()));
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let types = |body: &Value| column(body, "type");
        assert_eq!(types(&reader.read("changes", "types=sleep").await), vec!["sleep"; 4]);
        assert_eq!(types(&reader.read("changes", "types=supplements,profile").await).len(), 7);
        assert_eq!(types(&reader.read("changes", "").await).len(), 11);
        // A token with one scope gets that type only, and is rejected if it requests others.
        let narrow = app::redeem(&server, &registration, &app::code(&world, &registration, &["sleep"])).await;
        let narrow = Reader::new(&server, user, &narrow.access);
        assert_eq!(types(&narrow.read("changes", "").await), vec!["sleep"; 4]);
        for query in ["types=profile", "types=sleep,supplements"] {
            let refused = narrow.ask("changes", query).await;
            assert_eq!((refused.status, text(&refused.json(), "code")), (StatusCode::FORBIDDEN, "insufficient_scope".to_owned()));
        }
        // Every request counts, with any token of the client.
        assert_eq!(reader.read("changes", "").await["limit"]["X-RateLimit-Remaining"], 9_993);
    }
}

/// Stores nights of a separate source, stores more nights and new versions of others, and undoes that; then
/// stores further nights.
fn write(world: &World, user: &str, writer: usize) {
    let nights = |number, stages| records::nights(number, stages).replace("ring", &format!("ring {writer}"));
    for (round, (number, stages)) in [(12, 1), (20, 2), (16, 3)].into_iter().enumerate() {
        import(world, user, &format!("{writer}-{round}.ndjson"), &nights(number, stages));
    }
    let imports = world.ok(&["import", "list", "--user", user, "--json"]);
    let name = format!("{writer}-1.ndjson");
    let mut imports = imports.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let own = imports.find(|import| text(import, "file").ends_with(&name)).expect("the second import");
    world.ok(&["import", "undo", &text(&own, "import_id")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_follower_of_two_servers_misses_nothing_of_racing_imports_on_postgres() {
    const WRITERS: usize = 4;
    let world = World::new(StoreKind::Postgres).await;
    let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711");
    // Polling without a pause needs a high limit.
    let world = Arc::new(world.with("RESTWELL__RATE_LIMITS__CHANGES", "1000000"));
    let registration = register(&world);
    let servers = [world.serve_as("first"), world.serve_as("second")];
    let first = Reader::authorized(&world, &servers[0], &registration).await;
    let second = Reader::authorized(&world, &servers[1], &registration).await;
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (world, user) = (world.clone(), registration.user_id.clone());
            tokio::task::spawn_blocking(move || write(&world, &user, writer))
        })
        .collect();
    let mut copy = Follower::default();
    let mut changes_meanwhile = 0;
    loop {
        // Read before the feed, so that the last iteration starts after the last commit.
        let is_over = writers.iter().all(tokio::task::JoinHandle::is_finished);
        for reader in [&first, &second] {
            let reported = copy.follow(reader, "limit=7").await.len();
            changes_meanwhile += if is_over { 0 } else { reported };
        }
        if is_over {
            break;
        }
    }
    for writer in writers {
        writer.await.expect("a writer that succeeds");
    }
    assert!(changes_meanwhile > WRITERS, "only {changes_meanwhile} changes were reported while they wrote");
    let expected = stored(&first).await;
    assert!(expected.len() > 1 + WRITERS * 12, "{}", expected.len());
    assert_eq!(copy.records, expected);
    assert_eq!(expected, stored(&second).await);
}
