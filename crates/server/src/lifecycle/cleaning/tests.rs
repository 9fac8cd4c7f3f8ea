//! Retention limits: rows a minute past the limit are deleted, rows a minute short of it stay.

use super::{BATCH, Cleaning, STALE_UPLOAD, UPLOAD_BATCH};
use crate::settings::Settings;
use crate::wiring::{IfMissing, Services, Store};
use application::ports::system::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::ImportId;
use domain::import::ImportState;
use sqlite_adapter::test_support::execute;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use uuid::Uuid;

/// Store with an account and a client.
const BEGINNING: &str = "
    INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
    VALUES (zeroblob(16), 'sam@example.org', 'sam@example.org', 'Europe/Berlin', 0);
    INSERT INTO client (id, name, kind, redirect_uris, scopes, allow_query_secrets, require_pkce, created_at)
    VALUES (zeroblob(16), 'Night Reader', 'service', '[]', 'sleep:write', 0, 0, 0);
";

/// Report of an import without records.
const REPORT: &str = r#"{"sessions":{"new":0,"updated":0,"unchanged":0},"stage_entries":0,"supplements":{"new":0,"updated":0,"unchanged":0},"logs":{"new":0,"updated":0,"unchanged":0},"profile_changed":false,"rejected":[],"rejected_total":0,"notes":[],"notes_total":0}"#;

struct NoonClock;

impl Clock for NoonClock {
    fn now(&self) -> DateTime<Utc> {
        noon()
    }
}

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_262_400, 0).unwrap()
}

/// Returns the microseconds of a time this long ago, plus some minutes.
fn ago(kept_for: TimeDelta, minutes_more: i64) -> i64 {
    (noon() - kept_for - TimeDelta::minutes(minutes_more)).timestamp_micros()
}

struct Scene {
    store: Store,
    cleaning: Cleaning,
    path: PathBuf,
    _dir: TempDir,
}

impl Scene {
    async fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("restwell.db");
        let url = format!("sqlite://{}", path.display());
        let variables = [("RESTWELL__STORAGE__URL".to_owned(), url)].into();
        let settings = Settings::from_sources(None, &variables).unwrap();
        let store = Store::open(&settings, IfMissing::Create).await.unwrap();
        store.schema.migrate().await.unwrap();
        execute(&path, BEGINNING);
        let public_url = settings.server.public_url().unwrap();
        let services = Services { store, settings, public_url, clock: Arc::new(NoonClock) };
        let cleaning = Cleaning::new(&services).unwrap();
        let store = services.store;
        Self { store, cleaning, path, _dir: dir }
    }

    /// Stores `count` deletions of sessions at this time; `tag` keeps their ids apart.
    fn deletions(&self, tag: &str, count: u32, at: i64) {
        self.execute_for(
            count,
            &format!(
                "INSERT INTO deletion (user_id, kind, id, change_number, deleted_at)
             SELECT zeroblob(16), 'sleep', CAST(printf('{tag}%015d', n) AS BLOB), n, {at} FROM numbers"
            ),
        );
    }

    /// Stores `count` idempotent responses claimed at this time.
    fn answers(&self, tag: &str, count: u32, at: i64) {
        self.execute_for(count, &format!(
            "INSERT INTO idempotent_answer (client_id, key_hash, content_hash, claimed_at, status, body)
             SELECT zeroblob(16), CAST(printf('{tag}%031d', n) AS BLOB), zeroblob(32), {at}, 200, x'7b7d' FROM numbers"
        ));
    }

    /// Stores `count` clients whose metadata document expired at this time.
    fn published_clients(&self, tag: &str, count: u32, at: i64) {
        self.execute_for(count, &format!(
            "INSERT INTO client (id, name, kind, redirect_uris, scopes, allow_query_secrets, require_pkce, created_at, document)
             SELECT CAST(printf('{tag}%015d', n) AS BLOB), 'Owl', 'app', '[]', 'sleep', 0, 1, 0, json_object('fresh_until', {at})
             FROM numbers"
        ));
    }

    /// Stores `count` messages queued at this time.
    fn messages(&self, tag: &str, count: u32, at: i64) {
        self.execute_for(
            count,
            &format!(
                "INSERT INTO outbox (id, sealed, queued_at, due_at, attempts)
             SELECT CAST(printf('{tag}%015d', n) AS BLOB), x'00', {at}, {at}, 0 FROM numbers"
            ),
        );
    }

    /// Stores `count` keys retired at this time.
    fn retired_keys(&self, tag: &str, count: u32, at: i64) {
        self.execute_for(
            count,
            &format!(
                "INSERT INTO signing_key (id, public_key, private_key, created_at, retired_at)
             SELECT CAST(printf('{tag}%015d', n) AS BLOB), zeroblob(32), x'00', 0, {at} FROM numbers"
            ),
        );
    }

    /// Stores an import of the command line that ended at this time, with `count` noted changes.
    fn notes(&self, id: u128, count: u32, ended_at: i64) {
        self.import(id, ["command", "done"], 0, Some(ended_at));
        let id = hex(id);
        self.execute_for(
            count,
            &format!(
                "INSERT INTO import_change (import_id, kind, record_id, user_id)
             SELECT {id}, 'session', CAST(printf('%016d', n) AS BLOB), zeroblob(16) FROM numbers"
            ),
        );
    }

    /// Stores an upload with one part, started at this time.
    fn upload(&self, id: u128, state: &str, started_at: i64) {
        self.import(id, ["upload", state], started_at, (state == "done").then_some(started_at));
        execute(&self.path, &format!("INSERT INTO import_part VALUES ({}, 0, x'00')", hex(id)));
    }

    fn import(&self, id: u128, [origin, state]: [&str; 2], started_at: i64, ended_at: Option<i64>) {
        let (id, ended_at) = (hex(id), ended_at.map_or("NULL".to_owned(), |at| at.to_string()));
        execute(&self.path, &format!(
            "INSERT INTO import (id, user_id, origin, file_name, zone, state, size, bytes_done, started_at, ended_at, report)
             VALUES ({id}, zeroblob(16), '{origin}', 'file', 'UTC', '{state}', 1, 0, {started_at}, {ended_at}, '{REPORT}')"
        ));
    }

    /// Runs a statement in which the table `numbers` counts from 1 to `count`.
    fn execute_for(&self, count: u32, statement: &str) {
        let numbers = format!(
            "(WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < {count}) SELECT n FROM counting)"
        );
        execute(&self.path, &statement.replace("FROM numbers", &format!("FROM {numbers}")));
    }

    async fn run(&self) -> u64 {
        self.cleaning.run().await.unwrap()
    }
}

fn hex(id: u128) -> String {
    format!("x'{}'", Uuid::from_u128(id).simple())
}

#[tokio::test]
async fn a_deletion_is_kept_for_ninety_one_days() {
    let scene = Scene::new().await;
    scene.deletions("a", 2, ago(TimeDelta::days(91), 1));
    scene.deletions("b", 3, ago(TimeDelta::days(91), -1));
    assert_eq!((scene.run().await, scene.run().await), (2, 0));
}

#[tokio::test]
async fn a_response_is_kept_for_a_day() {
    let scene = Scene::new().await;
    scene.answers("a", 2, ago(TimeDelta::hours(24), 1));
    scene.answers("b", 3, ago(TimeDelta::hours(24), -1));
    assert_eq!((scene.run().await, scene.run().await), (2, 0));
}

#[tokio::test]
async fn an_unused_client_is_kept_for_a_week_after_its_document_expired() {
    let scene = Scene::new().await;
    scene.published_clients("a", BATCH + 1, ago(TimeDelta::days(7), 1));
    scene.published_clients("b", 3, ago(TimeDelta::days(7), -1));
    assert_eq!((scene.run().await, scene.run().await), (u64::from(BATCH) + 1, 0));
}

#[tokio::test]
async fn undelivered_email_is_kept_for_two_days() {
    let scene = Scene::new().await;
    scene.messages("a", 2, ago(TimeDelta::days(2), 1));
    scene.messages("b", 3, ago(TimeDelta::days(2), -1));
    assert_eq!((scene.run().await, scene.run().await), (2, 0));
}

#[tokio::test]
async fn a_retired_key_is_kept_for_thirty_days() {
    let scene = Scene::new().await;
    scene.retired_keys("a", 2, ago(TimeDelta::days(30), 1));
    scene.retired_keys("b", 3, ago(TimeDelta::days(30), -1));
    assert_eq!((scene.run().await, scene.run().await), (2, 0));
}

#[tokio::test]
async fn an_import_can_be_undone_for_thirty_days() {
    let scene = Scene::new().await;
    scene.notes(1, 2, ago(TimeDelta::days(30), 1));
    scene.notes(2, 3, ago(TimeDelta::days(30), -1));
    assert_eq!((scene.run().await, scene.run().await), (2, 0));
    let imports = &scene.store.imports;
    assert!(!imports.has_notes(ImportId::from_uuid(Uuid::from_u128(1))).await.unwrap());
    assert!(imports.has_notes(ImportId::from_uuid(Uuid::from_u128(2))).await.unwrap());
}

#[tokio::test]
async fn an_upload_unfinished_after_a_day_is_refused_and_its_parts_are_deleted() {
    let scene = Scene::new().await;
    scene.upload(1, "receiving", ago(TimeDelta::hours(24), 1));
    scene.upload(2, "receiving", ago(TimeDelta::hours(24), -1));
    scene.upload(3, "done", ago(TimeDelta::hours(48), 0));
    assert_eq!((scene.run().await, scene.run().await), (1, 0));
    let imports = &scene.store.imports;
    for (id, state, refusal) in [
        (1, ImportState::Rejected, Some(STALE_UPLOAD)),
        (2, ImportState::Receiving, None),
        (3, ImportState::Done, None),
    ] {
        let id = ImportId::from_uuid(Uuid::from_u128(id));
        let found = imports.find_import(id).await.unwrap().unwrap();
        assert_eq!((found.state, found.refusal.as_deref()), (state, refusal));
        assert_eq!(imports.find_upload_part(id, 0).await.unwrap().is_none(), refusal.is_some());
    }
}

#[tokio::test]
async fn more_rows_than_a_batch_are_deleted_in_several() {
    let scene = Scene::new().await;
    scene.deletions("a", 2 * BATCH + 1, ago(TimeDelta::days(100), 0));
    scene.answers("a", BATCH, ago(TimeDelta::days(2), 0));
    scene.notes(1_000, 3 * BATCH - 1, ago(TimeDelta::days(40), 0));
    for id in 0..=UPLOAD_BATCH {
        scene.upload(u128::from(id) + 1, "waiting", ago(TimeDelta::days(2), 0));
    }
    let expected = (2 * BATCH + 1) + BATCH + (3 * BATCH - 1) + (UPLOAD_BATCH + 1);
    assert_eq!((scene.run().await, scene.run().await), (u64::from(expected), 0));
}
