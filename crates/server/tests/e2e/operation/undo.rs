//! Interrupted undo, and its continuation.

use super::import_kept::apple;
use super::records;
use crate::e2e::app::register;
use crate::e2e::polling::within;
use crate::e2e::world::{StoreKind, World};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Timeout for a batch and for a server's continuation, in a test build.
const PROCESSING_TIMEOUT: Duration = Duration::from_mins(2);
/// Number of imported nights: two and a half batches of an undo.
const NIGHTS: usize = 100;
/// Number of nights left if the third batch does not finish.
const LEFT: usize = 20;

fn nights(world: &World, user: &str) -> usize {
    world.ok(&["export", "--user", user]).lines().filter(|line| line.contains("sleep_session")).count()
}

fn state(world: &World, user: &str) -> Value {
    world.json(&["import", "list", "--user", user, "--json"])["state"].clone()
}

/// Imports the nights; deleting the first one, which is undone last, blocks forever.
async fn prepare(world: &World, user: &str) -> String {
    let file = world.file("nights.ndjson", &records::nights(NIGHTS, 2));
    let imported = world.json(&["import", "--user", user, "--json", &file]);
    let first = "(SELECT min(started_at) FROM sleep_session)";
    let trap = match world.kind {
        StoreKind::Sqlite => format!(
            "PRAGMA busy_timeout = 10000; CREATE TABLE trap AS SELECT {first} AS at; \
             CREATE VIEW endless AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c; \
             CREATE TRIGGER trap BEFORE DELETE ON sleep_session WHEN old.started_at = (SELECT at FROM trap) BEGIN \
             SELECT count(*) FROM endless; END"
        ),
        StoreKind::Postgres => format!(
            "CREATE TABLE trap AS SELECT {first} AS at; \
             CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \
             IF old.started_at = (SELECT at FROM trap) THEN PERFORM pg_sleep(600); END IF; RETURN old; END'; \
             CREATE TRIGGER trap BEFORE DELETE ON sleep_session FOR EACH ROW EXECUTE FUNCTION trap()"
        ),
    };
    world.execute(&trap).await;
    imported["import_id"].as_str().expect("id").to_owned()
}

/// Removes the block and the statement that waits in it.
async fn release(world: &World) {
    let statements = match world.kind {
        StoreKind::Sqlite => {
            "PRAGMA busy_timeout = 10000; DROP TRIGGER trap; DROP VIEW endless; DROP TABLE trap"
        }
        StoreKind::Postgres => {
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
             WHERE wait_event = 'PgSleep' AND datname = current_database(); \
             DROP TRIGGER trap ON sleep_session; DROP FUNCTION trap; DROP TABLE trap"
        }
    };
    world.execute(statements).await;
}

/// Undoes the import with a command that is killed halfway.
async fn kill_undo(world: &World, user: &str, id: &str) {
    let mut undo = world.command(&["import", "undo", id]).spawn().expect("restwell runs");
    // An export would wait for the undo, because it adds an event.
    let left = i64::try_from(LEFT).expect("few");
    within(PROCESSING_TIMEOUT, Instant::now(), "two batches are taken back", async || {
        (world.number("SELECT count(*) AS number FROM sleep_session").await == left).then_some(())
    })
    .await;
    undo.kill().expect("kill");
    undo.wait().expect("end");
    release(world).await;
    assert_eq!((state(world, user), nights(world, user)), (json!("undoing"), LEFT));
}

/// Simulates the time after which an undo without progress is taken over.
async fn let_time_pass(world: &World) {
    let (patient, past) = match world.kind {
        StoreKind::Sqlite => ("PRAGMA busy_timeout = 10000;", "0"),
        StoreKind::Postgres => ("", "now() - interval '1 hour'"),
    };
    world.execute(&format!("{patient} UPDATE import SET updated_at = {past}")).await;
}

on_both_stores! {
    async fn a_killed_undo_is_reported_and_completed_by_a_server(world: World) {
        let world = world.in_processes();
        let user = register(&world).user_id;
        let id = prepare(&world, &user).await;
        kill_undo(&world, &user, &id).await;
        // Much later: the data that it needs still exists.
        let_time_pass(&world).await;
        let server = world.serve();
        within(PROCESSING_TIMEOUT, Instant::now(), "the server goes on", async || {
            (state(&world, &user) == "undone").then_some(())
        })
        .await;
        assert_eq!(nights(&world, &user), 0);
        assert!(server.log().contains("finished an interrupted undo"), "{}", server.log());
    }
}

on_sqlite! {
    async fn a_killed_undo_resumes_when_repeated(world: World) {
        let user = register(&world).user_id;
        let id = prepare(&world, &user).await;
        kill_undo(&world, &user, &id).await;
        assert_eq!(world.json(&["import", "undo", "--json", &id]), json!({"taken_back": NIGHTS, "removed": NIGHTS, "restored": 0, "kept": 0, "kept_records": []}));
        assert_eq!((state(&world, &user), nights(&world, &user)), (json!("undone"), 0));
        let again = world.run(&["import", "undo", &id]);
        assert!(String::from_utf8_lossy(&again.stderr).contains("undone already"));
    }

    async fn a_completed_import_cannot_be_cancelled_and_the_error_suggests_undo(world: World) {
        let user = register(&world).user_id;
        let file = world.file("nights.xml", &apple(&[(10, 6)]));
        let id = world.json(&["import", "--user", &user, "--json", &file])["import_id"].clone();
        let id = id.as_str().expect("id");
        let refused = world.run(&["import", "cancel", id]);
        let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
        assert!(reported.contains(&format!("restwell import undo {id}")), "{reported}");
        assert_eq!((state(&world, &user), nights(&world, &user)), (json!("done"), 1));
        // Cancelling an interrupted import deletes its records.
        world.execute("UPDATE import SET state = 'running', ended_at = NULL").await;
        // It is not listed as one that was undone.
        assert_eq!(world.json(&["import", "cancel", "--json", id]), json!({"taken_back": 1, "removed": 1, "restored": 0, "kept": 0, "kept_records": []}));
        assert_eq!((state(&world, &user), nights(&world, &user)), (json!("cancelled"), 0));
    }

    async fn a_night_replaced_by_a_later_import_is_kept_and_that_import_named(world: World) {
        let user = register(&world).user_id;
        let mut ids = Vec::new();
        for start in ["22:00", "22:10", "22:20"] {
            let night = json!({
                "type": "sleep_session", "source": "watch",
                "time_in_bed_start": format!("2026-01-10T{start}:00Z"), "time_in_bed_end": "2026-01-11T06:00:00Z",
            });
            let file = world.file("night.ndjson", &night.to_string());
            let imported = world.json(&["import", "--user", &user, "--json", &file]);
            ids.push(imported["import_id"].as_str().expect("id").to_owned());
        }
        let start = || {
            let export = world.json_lines(&["export", "--user", &user]);
            let nights = export.into_iter().filter(|line| line["type"] == "sleep_session");
            nights.map(|night| night["time_in_bed_start"].as_str().expect("start").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(start(), ["2026-01-10T22:20:00Z"]);
        let kept = world.json(&["import", "undo", "--json", &ids[1]]);
        assert_eq!((&kept["taken_back"], &kept["kept"]), (&json!(0), &json!(2)));
        let named = format!("changed later by import {}", ids[2]);
        let records = kept["kept_records"].as_array().expect("records");
        assert!(records.iter().all(|record| record.as_str().expect("text").ends_with(&named)), "{kept}");
        assert_eq!(start(), ["2026-01-10T22:20:00Z"]);
        world.ok(&["import", "undo", &ids[2]]);
        assert_eq!(start(), ["2026-01-10T22:10:00Z"]);
        // The kept records can be undone now.
        assert_eq!(world.json(&["import", "undo", "--json", &ids[1]])["taken_back"], 2);
        assert_eq!(start(), ["2026-01-10T22:00:00Z"]);
        world.ok(&["import", "undo", &ids[0]]);
        assert_eq!(start(), Vec::<String>::new());
    }
}
