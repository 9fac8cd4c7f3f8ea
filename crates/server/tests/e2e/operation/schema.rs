//! Supported schema versions, and concurrent migration.

use super::store::unmigrated;
use crate::e2e::app::{SCOPES, code, read_json, redeem, register};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use std::process::{Child, Output, Stdio};

/// Runs `serve`, which must exit by itself, and returns its error.
pub(super) fn refusal(world: &World) -> String {
    let output = world.run(&["serve"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(output.stdout.is_empty());
    let mut sentences = errors.lines().filter(|line| !line.starts_with('{'));
    let sentence = sentences.next().unwrap_or_else(|| panic!("no sentence in {errors}")).to_owned();
    assert!(sentence.starts_with("restwell: ") && sentences.next().is_none(), "{errors}");
    sentence
}

/// Starts a command several times concurrently and waits for all.
fn at_once(world: &World, arguments: &[&str]) -> Vec<Output> {
    let start = |_| {
        let mut command = world.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("restwell starts")
    };
    let children: Vec<Child> = (0..5).map(start).collect();
    children.into_iter().map(|child| child.wait_with_output().expect("end")).collect()
}

/// Returns the ids of the published signing keys.
async fn key_ids(server: &Server) -> Vec<String> {
    let url = format!("{}/.well-known/jwks.json", server.base_url);
    let set: serde_json::Value = reqwest::get(url).await.expect("answer").json().await.expect("JSON");
    let keys = set["keys"].as_array().expect("keys");
    keys.iter().map(|key| crate::e2e::app::text(key, "kid")).collect()
}

async fn a_store_that_was_never_migrated(kind: StoreKind) {
    let world = unmigrated(kind).await;
    assert!(refusal(&world).contains("restwell migrate"));
    let output = world.run(&["user", "list"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("restwell migrate"));
    if kind == StoreKind::Sqlite {
        assert!(!world.dir.path().join("restwell.db").exists(), "serve or list made the store");
    }
    world.ok(&["migrate"]);
    assert_eq!(world.serve().terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_store_is_rejected_until_it_is_migrated_on_sqlite() {
    a_store_that_was_never_migrated(StoreKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_store_is_rejected_until_it_is_migrated_on_postgres() {
    a_store_that_was_never_migrated(StoreKind::Postgres).await;
}

on_both_stores! {
    async fn an_older_schema_is_rejected_with_instructions(world: World) {
        world.execute("DELETE FROM __diesel_schema_migrations;
                         INSERT INTO __diesel_schema_migrations (version) VALUES ('20000101000000')").await;
        let sentence = refusal(&world);
        assert!(sentence.contains("older") && sentence.contains("restwell migrate"), "{sentence}");
        let output = world.run(&["client", "list"]);
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("restwell migrate"));
    }

    async fn a_newer_schema_is_served_unless_it_excludes_this_program(world: World) {
        let world = world.in_processes();
        let registration = register(&world);
        world.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000');
                         INSERT INTO schema_compatibility VALUES ('99990101000000', 1)").await;
        let mut server = world.serve();
        let tokens = redeem(&server, &registration, &code(&world, &registration, &SCOPES)).await;
        read_json(&server, &tokens.access, &format!("/api/v1/profile/{}", registration.user_id)).await;
        // The next release's migration leaves a replica of this one ready; that of a later release does not.
        // The replica still serves requests and can be stopped safely.
        world.ok(&["migrate"]);
        let ready = async || {
            let answer = reqwest::get(format!("{}/readyz", server.base_url)).await.expect("answer");
            (answer.status().as_u16(), answer.text().await.expect("text"))
        };
        assert_eq!(ready().await.0, 200);
        world.execute("UPDATE schema_compatibility SET oldest_program = 1000 WHERE version = '99990101000000'").await;
        eventually("the schema is noticed", async || {
            let (status, message) = ready().await;
            (status == 503 && message.contains("Failed: schema.")).then_some(())
        })
        .await;
        read_json(&server, &tokens.access, &format!("/api/v1/profile/{}", registration.user_id)).await;
        assert_eq!(server.terminate(), Some(0));
        let sentence = refusal(&world);
        assert!(sentence.contains("newer"), "{sentence}");
        for command in [&["migrate"][..], &["user", "list"]] {
            let output = world.run(command);
            assert_eq!(output.status.code(), Some(1), "{command:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("newer"), "{command:?}");
        }
    }
}

async fn several_concurrent_migrations_all_succeed(kind: StoreKind) {
    let world = unmigrated(kind).await;
    let outputs = at_once(&world, &["migrate"]);
    let (mut keys_made, mut appliers) = (0, 0_usize);
    for output in &outputs {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        keys_made += errors.matches("created the first signing key").count();
        appliers += usize::from(errors.contains(": applied "));
    }
    assert_eq!((keys_made, appliers), (1, 1));
    let server = world.serve();
    assert_eq!(key_ids(&server).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_migrations_create_one_schema_and_one_key_on_sqlite() {
    several_concurrent_migrations_all_succeed(StoreKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_migrations_create_one_schema_and_one_key_on_postgres() {
    several_concurrent_migrations_all_succeed(StoreKind::Postgres).await;
}
