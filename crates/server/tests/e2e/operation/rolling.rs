//! A schema change while servers of the previous version run: migration, restart and reversal.

use super::replica::wait_until_ready;
use crate::e2e::app::{Registration, SCOPES, code, create_service, redeem, register, text};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::{Client as Http, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::RwLock;
use tokio::task::JoinHandle;

/// Number of responses that each kind of caller gets before the next step.
const ANSWERS: u32 = 25;

/// Expanding schema change of a future release (docs/schema-changes.md), with its declared compatibility with
/// this program.
const EXPAND: &str = "
    ALTER TABLE account ADD COLUMN nickname text;
    ALTER TABLE sleep_session ADD COLUMN mood text;
    CREATE TABLE habit (user_id integer NOT NULL, name text NOT NULL, PRIMARY KEY (user_id, name));
    CREATE INDEX account_nickname ON account (nickname);
    CREATE INDEX sleep_session_mood ON sleep_session (user_id, mood);
    INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000');
    INSERT INTO schema_compatibility VALUES ('99990101000000', 1);";

/// The reverse migration. It locks the tables in the order in which requests do, so that none deadlocks.
const REVERT: &str = "
    DROP INDEX account_nickname;
    ALTER TABLE account DROP COLUMN nickname;
    DROP INDEX sleep_session_mood;
    ALTER TABLE sleep_session DROP COLUMN mood;
    DROP TABLE habit;
    DELETE FROM schema_compatibility WHERE version = '99990101000000';
    DELETE FROM __diesel_schema_migrations WHERE version = '99990101000000';";

/// Runs a migration in one transaction, as `restwell migrate` does, and waits for its locks.
async fn migrate(world: &World, statements: &str) {
    let statements = match world.kind {
        StoreKind::Postgres => format!("BEGIN; SET LOCAL lock_timeout = '20s'; {statements} COMMIT;"),
        StoreKind::Sqlite => format!("PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE; {statements} COMMIT;"),
    };
    world.execute(&statements).await;
}

/// State shared by all callers.
struct Service {
    http: Http,
    /// Targets of requests. Removing a replica waits for requests in progress, which hold the lock.
    replicas: RwLock<Vec<String>>,
    registration: Registration,
    refresh: String,
    /// Token of a backend.
    backend: String,
    /// Initial profile.
    profile: Value,
    acknowledged: AtomicU32,
    reads: AtomicU32,
    refreshes: AtomicU32,
    turn: AtomicU32,
    is_over: AtomicBool,
}

impl Service {
    /// Sends a request to the next replica; the response must be 200.
    async fn ask(&self, request: impl Fn(&str) -> RequestBuilder) -> Value {
        let replicas = self.replicas.read().await;
        let turn = self.turn.fetch_add(1, Ordering::SeqCst) as usize;
        let answer = request(&replicas[turn % replicas.len()]).send().await.expect("answer");
        let (status, body) = (answer.status(), answer.text().await.expect("body"));
        assert_eq!(status, StatusCode::OK, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }

    async fn read(&self, token: &str, endpoint: &str, query: &str) -> Value {
        let user_id = &self.registration.user_id;
        self.ask(|replica| {
            self.http.get(format!("{replica}/api/v1/{endpoint}/{user_id}{query}")).bearer_auth(token)
        })
        .await
    }

    async fn refreshed(&self) -> String {
        let form = [
            ("refresh_token", self.refresh.as_str()),
            ("client_id", &self.registration.client_id),
            ("client_secret", &self.registration.client_secret),
            ("user_id", &self.registration.user_id),
        ];
        let body = self.ask(|replica| self.http.post(format!("{replica}/api/refresh")).form(&form)).await;
        text(&body, "access_token")
    }

    /// Ingests another night, which must be new.
    async fn write(&self, number: u32) {
        let url = |replica: &str| format!("{replica}/api/v1/sleep/{}", self.registration.user_id);
        let night = night(number);
        let body = self
            .ask(|replica| self.http.post(url(replica)).bearer_auth(&self.backend).json(&json!([night])))
            .await;
        assert_eq!(body["results"][0]["status"], "created", "{body}");
    }

    /// Reads both pages of an app; every acknowledged record must be there.
    async fn check(&self, token: &str) {
        assert_eq!(self.read(token, "profile", "").await["data"], self.profile);
        let least = self.acknowledged.load(Ordering::SeqCst) as usize;
        let page = self.read(token, "sleep", "?pageSize=10000&include_stages=true").await;
        let sessions = page["data"].as_array().expect("sessions");
        assert!(sessions.len() >= least, "{} of {least} sessions", sessions.len());
        assert!(sessions.iter().all(|one| one["raw_sleep"][0]["stage"] == "LIGHT"), "{page}");
    }
}

/// Returns a distinct night.
fn night(number: u32) -> Value {
    let day = chrono::NaiveDate::from_ymd_opt(2001, 1, 1).expect("date") + chrono::Days::new(number.into());
    let next = day + chrono::Days::new(1);
    json!({
        "external_id": format!("night-{number}"),
        "source": "ring",
        "time_in_bed_start": format!("{day}T22:00:00+01:00"),
        "time_in_bed_end": format!("{next}T06:00:00+01:00"),
        "raw_sleep": [
            {"stage": "LIGHT", "start": format!("{day}T22:15:00+01:00"), "end": format!("{next}T05:50:00+01:00")},
        ],
    })
}

/// Callers that run until they are stopped; a wrong response ends one of them.
struct Load {
    service: Arc<Service>,
    callers: Vec<JoinHandle<()>>,
}

impl Load {
    fn begin(service: Service) -> Self {
        let service = Arc::new(service);
        let callers = vec![
            tokio::spawn(read_on(service.clone())),
            tokio::spawn(refresh_on(service.clone())),
            tokio::spawn(write_on(service.clone())),
        ];
        Self { service, callers }
    }

    /// Waits for this many more responses of each kind of caller.
    async fn goes_on(&self) {
        let Service { reads, refreshes, acknowledged, .. } = &*self.service;
        let counters = [reads, refreshes, acknowledged];
        let before = counters.map(|counter| counter.load(Ordering::SeqCst));
        eventually("all callers are answered", async || {
            assert!(!self.callers.iter().any(JoinHandle::is_finished), "a caller was answered wrongly");
            let mut counters = counters.iter().zip(before);
            counters.all(|(now, then)| now.load(Ordering::SeqCst) >= then + ANSWERS).then_some(())
        })
        .await;
    }

    async fn end(self) -> Arc<Service> {
        self.service.is_over.store(true, Ordering::SeqCst);
        for caller in self.callers {
            caller.await.expect("right answers");
        }
        self.service
    }
}

/// Waits 10 ms between two requests, so that the callers do not occupy the processor.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

async fn read_on(service: Arc<Service>) {
    let token = service.refreshed().await;
    while !service.is_over.load(Ordering::SeqCst) {
        service.check(&token).await;
        service.reads.fetch_add(1, Ordering::SeqCst);
        pause().await;
    }
}

async fn refresh_on(service: Arc<Service>) {
    while !service.is_over.load(Ordering::SeqCst) {
        let token = service.refreshed().await;
        service.read(&token, "supplements", "").await;
        service.refreshes.fetch_add(1, Ordering::SeqCst);
        pause().await;
    }
}

async fn write_on(service: Arc<Service>) {
    while !service.is_over.load(Ordering::SeqCst) {
        service.write(service.acknowledged.load(Ordering::SeqCst)).await;
        service.acknowledged.fetch_add(1, Ordering::SeqCst);
        pause().await;
    }
}

/// Creates a person with an app and a backend, at two replicas.
async fn service(world: &World, replicas: &[&Server]) -> Service {
    let registration = register(world);
    let tokens = redeem(replicas[0], &registration, &code(world, &registration, &SCOPES)).await;
    let client = create_service(world, "", &["sleep:write"]);
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", &client.client_id),
        ("client_secret", &client.client_secret),
    ];
    let http = Http::new();
    let url = format!("{}/api/token", replicas[0].base_url);
    let backend: Value = http.post(url).form(&form).send().await.expect("answer").json().await.expect("JSON");
    let mut service = Service {
        http,
        replicas: RwLock::new(replicas.iter().map(|server| server.base_url.clone()).collect()),
        registration,
        refresh: tokens.refresh,
        backend: text(&backend, "access_token"),
        profile: Value::Null,
        acknowledged: AtomicU32::new(0),
        reads: AtomicU32::new(0),
        refreshes: AtomicU32::new(0),
        turn: AtomicU32::new(0),
        is_over: AtomicBool::new(false),
    };
    service.profile = service.read(&tokens.access, "profile", "").await["data"].take();
    assert!(service.profile.is_object(), "{}", service.profile);
    service
}

on_both_stores! {
    async fn replicas_serve_during_an_expanding_migration_a_restart_and_its_reversal(world: World) {
        let world = world.in_processes();
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711")
            .with("RESTWELL__RATE_LIMITS__PROFILE", "1000000");
        let (mut first, mut second) = (world.serve_as("first"), world.serve_as("second"));
        for server in [&first, &second] {
            wait_until_ready(server).await;
        }
        let load = Load::begin(service(&world, &[&first, &second]).await);
        load.goes_on().await;

        migrate(&world, EXPAND).await;
        load.goes_on().await;
        // One of them crashes, and a server of the previous version is started again.
        let crashed = first.base_url.clone();
        load.service.replicas.write().await.retain(|replica| *replica != crashed);
        first.kill();
        load.goes_on().await;
        let mut first = world.serve_as("again");
        wait_until_ready(&first).await;
        load.service.replicas.write().await.push(first.base_url.clone());
        load.goes_on().await;

        migrate(&world, REVERT).await;
        load.goes_on().await;
        let service = load.end().await;
        let token = service.refreshed().await;
        service.check(&token).await;
        let sessions = service.read(&token, "sleep", "?pageSize=10000").await;
        let written = service.acknowledged.load(Ordering::SeqCst) as usize;
        assert_eq!(sessions["data"].as_array().expect("sessions").len(), written);
        for server in [&mut first, &mut second] {
            assert_eq!(server.terminate(), Some(0));
        }
    }
}
