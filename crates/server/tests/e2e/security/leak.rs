//! No input of a caller and no data of a person is in any log, at the most verbose level.

use super::caller::{Caller, Form, Reply, basic};
use super::dump::Dump;
use super::raw;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::collector::{Collector, metrics};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, RequestBuilder};
use std::fs::File;

/// Sent in every place for a text.
const MARKER: &str = "LEAKME123";
/// Stored in a person's data.
const HEALTH_MARKER: &str = "healthleak";

/// Every path, and some that do not exist.
const PATHS: [&str; 41] = [
    "/api/token",
    "/api/refresh",
    "/api/token/",
    "/oauth/revoke",
    "/oauth/introspect",
    "/api/v1/profile/%u",
    "/api/v1/sleep/%u",
    "/api/v1/supplements/%u",
    "/api/v1/changes/%u",
    "/api/v1/export/%u",
    "/api/v1/users",
    "/api/v1/users/%u",
    "/api/v1/supplements",
    "/api/v1/supplements/%u/logs",
    "/api/profile/%u",
    "/api/sleep/%u",
    "/api/supplements/%u",
    "/.well-known/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/openapi.json",
    "/docs",
    "/errors",
    "/livez",
    "/readyz",
    "/authorize",
    "/sign-in",
    "/consent",
    "/set-password",
    "/sign-up",
    "/forgot-password",
    "/sign-out",
    "/apps",
    "/apps/disconnect",
    "/tokens",
    "/activity",
    "/imports",
    "/imports/undo",
    "/account/export",
    "/account/erase",
    "/account",
    "/nowhere",
];

/// Every known parameter, and an unknown one.
const NAMES: [&str; 23] = [
    "code",
    "client_id",
    "client_secret",
    "redirect_uri",
    "refresh_token",
    "token",
    "token_type_hint",
    "user_id",
    "code_verifier",
    "scope",
    "grant_type",
    "access_token",
    "startDate",
    "supplementID",
    "page",
    "response_type",
    "state",
    "request",
    "link",
    "form_token",
    "email",
    "password",
    "unknown",
];

on_both_stores! {
    // T01
    async fn no_input_of_a_caller_is_written_anywhere(world: World) {
        let world = world.in_processes();
        let collector = Collector::start();
        let world = collector.watching(world)
            .with("RESTWELL__LOG__LEVEL", "trace")
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "1000000")
            .with("RESTWELL__TOKENS__FAILURES_PER_ADDRESS", "1000000");
        let registration = register(&world);
        let mut server = start(&world);
        let caller = Caller::of(&server);
        let secrets = use_every_secret(&world, &server, &registration).await;
        for path in PATHS {
            let path = path.replace("%u", &registration.user_id);
            plant_everywhere(&caller, &path, &secrets[0]).await;
            plant_in_raw_bytes(&server, &path).await;
        }
        let figures = metrics(&server).await;
        assert!(figures.contains("restwell_http_requests_total"), "{figures}");
        server.terminate();
        assert!(collector.taken().len() > 100_000, "no traces were sent");
        let output = output_of(&world) + &figures + &String::from_utf8_lossy(&collector.taken());
        assert!(output.matches("request served").count() > PATHS.len() * 50, "the log is not at its most talkative");
        assert!(output.contains(r#""level":"DEBUG""#));
        let encoded = STANDARD.encode(format!("{MARKER}:{MARKER}"));
        let mut hidden = secrets.clone();
        hidden.extend([MARKER.to_owned(), MARKER.to_lowercase(), encoded, "LEAK%4DE123".to_owned()]);
        for hidden in &hidden {
            let line = output.lines().find(|line| line.contains(hidden.as_str()));
            assert_eq!(line, None, "{hidden} is in the log");
        }
        let dump = Dump::of(&world);
        assert!(hidden.iter().all(|hidden| !dump.holds(hidden)), "a request left its text in the store");
    }

    // T01
    async fn health_data_is_written_only_to_the_store(world: World) {
        let world = world.in_processes();
        let world = world.with("RESTWELL__LOG__LEVEL", "trace");
        let registration = register(&world);
        let user = registration.user_id.as_str();
        world.ok(&["user", "update", user, "--weight-kg", "71.8125", "--height-cm", "168.4375"]);
        let (good, bad) = (world.file("good.ndjson", &good_lines()), world.file("bad.ndjson", &bad_lines()));
        let mut said = String::new();
        for file in [&good, &bad] {
            let output = world.run(&["import", "--user", user, "--json", file]);
            said.push_str(&String::from_utf8_lossy(&output.stderr));
            said.push_str(&String::from_utf8_lossy(&output.stdout));
        }
        let server = start(&world);
        let caller = Caller::of(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let mut shown = String::new();
        for path in ["profile/%u", "sleep/%u?include_stages=true&include_metrics=true", "supplements/%u"] {
            let reply = caller.read(&tokens.access, &format!("/api/v1/{}", path.replace("%u", user))).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            shown.push_str(&reply.body);
        }
        let export = world.run(&["export", "--user", user]);
        said.push_str(&String::from_utf8_lossy(&export.stderr));
        let output = output_of(&world) + &said;
        for value in [HEALTH_MARKER, "71.8125", "168.4375", "1985-04-12", "2.71828", "2026-01-10T23:17", "sleeper@"] {
            assert!(shown.contains(value) || value == "sleeper@", "{value} was not served at all");
            let line = output.lines().find(|line| line.contains(value));
            assert_eq!(line, None, "{value} is in the log");
        }
    }
}

/// Starts the server with both of its outputs redirected to files.
fn start(world: &World) -> Server {
    let mut command = world.command(&["serve"]);
    command.stdout(File::create(world.dir.path().join("server.out")).expect("file"));
    Server::spawn(command, &world.dir.path().join("server.log"))
}

/// Returns the server's output: both streams, and every file that is neither the store nor an input.
fn output_of(world: &World) -> String {
    let mut folders = vec![world.dir.path().to_owned()];
    let mut output = String::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if !name.starts_with("restwell.db") && !name.ends_with(".ndjson") {
                output.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).expect("file")));
            }
        }
    }
    output
}

/// Uses each kind of real secret once successfully and once not; returns them all, the access token first.
async fn use_every_secret(world: &World, server: &Server, registration: &Registration) -> Vec<String> {
    let caller = Caller::of(server);
    let (replayed, unused) = (code(world, registration, &SCOPES), code(world, registration, &SCOPES));
    let form = Form::of_code(registration, &replayed);
    let spoilt = caller.get("/api/token", &form).await.tokens();
    caller.get("/api/token", &form).await.assert_error(400, "invalid_grant");
    caller.refresh(registration, &spoilt.refresh).await.assert_error(400, "invalid_grant");
    let tokens = caller.redeem(registration, &code(world, registration, &SCOPES)).await.tokens();
    let refresh = Form::of_refresh(registration, &tokens.refresh);
    caller.get("/api/refresh", &refresh).await.access();
    let pair = (registration.client_id.as_str(), registration.client_secret.as_str());
    caller.get_basic("/api/refresh", pair, &refresh.unsigned()).await.access();
    let elsewhere = Form::of_code(registration, &unused).with("redirect_uri", MARKER);
    caller.get("/api/token", &elsewhere).await.assert_error(400, "invalid_grant");
    let Registration { client_secret, .. } = registration.clone();
    let pair = STANDARD.encode(format!("{}:{client_secret}", registration.client_id));
    vec![tokens.access, tokens.refresh, spoilt.access, spoilt.refresh, replayed, unused, client_secret, pair]
}

/// Sends the marker in every place of a well-formed request, with every method.
async fn plant_everywhere(caller: &Caller, path: &str, access: &str) {
    let requests = [
        in_addresses(caller, path, access),
        in_headers(caller, path, access),
        in_bodies(caller, path),
        with_methods(caller, path, access),
    ];
    for request in requests.into_iter().flatten() {
        let reply = Reply::to(request).await;
        assert!(reply.status < 500, "{path}: {reply:?}");
        assert!(!reply.body.contains(MARKER), "{path}: an answer repeats what was sent: {reply:?}");
    }
}

/// Encodes every parameter with the marker as its value.
fn every_parameter() -> String {
    NAMES.map(|name| format!("{name}={MARKER}")).join("&")
}

fn in_addresses(caller: &Caller, path: &str, access: &str) -> Vec<RequestBuilder> {
    let get = |path: String| caller.request(Method::GET, &path);
    let (every, long) = (every_parameter(), MARKER.repeat(2000));
    let paging = format!("sort={MARKER}&page={MARKER}&startDate={MARKER}&pageSize=%F0%9F{MARKER}");
    let mut requests = vec![
        get(format!("{path}?{every}")),
        get(format!("{path}?code=LEAK%4DE123&client_secret=%ff{MARKER}&x=%{MARKER}")),
        get(format!("{path}?{every}&{every}")),
        get(format!("{path}?{long}")),
        get(format!("{path}/{MARKER}")),
        get(format!("{path}{MARKER}?x=%00{MARKER}")),
        get(format!("{path}?{paging}")).bearer_auth(access),
    ];
    requests.extend(NAMES.map(|name| get(format!("{path}?{name}={MARKER}"))));
    requests
}

fn in_headers(caller: &Caller, path: &str, access: &str) -> Vec<RequestBuilder> {
    let get = || caller.request(Method::GET, path);
    let mut requests = vec![
        get().bearer_auth(access).header("authorization", format!("Bearer {MARKER}")),
        get().header("x-filler", MARKER.repeat(1900)),
    ];
    let credentials = [
        format!("Bearer {MARKER}"),
        format!("Bearer {MARKER}.{MARKER}.{MARKER}"),
        basic((MARKER, MARKER)),
        format!("Basic {MARKER}"),
        format!("{MARKER} {MARKER}"),
    ];
    requests.extend(credentials.map(|credentials| get().header("authorization", credentials)));
    let names =
        ["cookie", "x-request-id", "user-agent", "referer", "origin", "x-forwarded-for", "traceparent"];
    requests.extend(names.map(|name| get().header(name, MARKER)));
    requests.push(get().header("host", MARKER));
    requests
}

fn in_bodies(caller: &Caller, path: &str) -> Vec<RequestBuilder> {
    let form = "application/x-www-form-urlencoded";
    let json = "application/json";
    let every = every_parameter();
    let whole = ["code", "redirect_uri", "client_id", "client_secret"].map(|name| (name, MARKER));
    let bodies = [
        (form.to_owned(), every.clone()),
        (form.to_owned(), format!("{every}&{every}")),
        (form.to_owned(), MARKER.repeat(2000)),
        (format!("{form}; charset={MARKER}"), every.clone()),
        (format!("text/{MARKER}"), every),
        (json.to_owned(), format!(r#"{{"code":"{MARKER}","client_secret":["{MARKER}"]}}"#)),
        (json.to_owned(), format!(r#"{{"code":"{MARKER}","{MARKER}":"{MARKER}", {MARKER}"#)),
        (json.to_owned(), serde_json::Value::from_iter(whole).to_string()),
    ];
    let post = |(kind, body): (String, String)| {
        caller.request(Method::POST, path).header("content-type", kind).body(body)
    };
    bodies.map(post).into()
}

fn with_methods(caller: &Caller, path: &str, access: &str) -> Vec<RequestBuilder> {
    let every = every_parameter();
    let names = ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", MARKER];
    let methods = names.map(|name| Method::from_bytes(name.as_bytes()).expect("method"));
    let request = |method: Method| {
        let in_body = caller.request(method.clone(), path).bearer_auth(access);
        [
            caller.request(method, &format!("{path}?{every}")).bearer_auth(MARKER),
            in_body.header("content-type", "application/x-www-form-urlencoded").body(every.clone()),
        ]
    };
    methods.into_iter().flat_map(request).collect()
}

/// Sends the marker in places where no library would put it.
async fn plant_in_raw_bytes(server: &Server, path: &str) {
    for head in [
        format!("GET {path}?code={MARKER} HTTP/1.1\r\n{MARKER}: {MARKER}\r\nHost: a"),
        format!("GET {path}?code={MARKER} HTTP/1.1\r\nHost: a\r\n{MARKER}"),
        format!("GET {path}?code={MARKER} {MARKER}/1.1\r\nHost: a"),
        format!("GET {path}?code={MARKER}\u{ff} HTTP/1.1\r\nHost: a"),
        format!("GET http://{MARKER}{path}?code={MARKER} HTTP/1.1\r\nHost: {MARKER}"),
        format!("POST {path}?code={MARKER} HTTP/1.1\r\nHost: a\r\nContent-Length: {MARKER}"),
        format!("POST {path}?code={MARKER} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: {MARKER}"),
    ] {
        let answer = raw::exchange(server, format!("{head}\r\nConnection: close\r\n\r\n").as_bytes()).await;
        assert!(!answer.contains(MARKER), "{answer}");
    }
}

fn good_lines() -> String {
    [
        format!(r#"{{"type":"sleep_session","time_in_bed_start":"2026-01-10T23:17:00+01:00","time_in_bed_end":"2026-01-11T07:00:00+01:00","source":"{HEALTH_MARKER}-ring","raw_sleep":[{{"stage":"LIGHT","start":"2026-01-10T23:17:00+01:00","end":"2026-01-11T06:50:00+01:00"}}]}}"#),
        format!(r#"{{"type":"supplement","id":"1a2b3c4d-0000-4000-8000-000000000001","brand":"{HEALTH_MARKER}","name":"{HEALTH_MARKER} capsule","supplement_ingredient":[{{"ingredient_name":"{HEALTH_MARKER}","quantity":2.71828,"unit":"mg"}}]}}"#),
        r#"{"type":"supplement_log","created_at":"2026-01-10T22:00:00Z","supplement_id":"1a2b3c4d-0000-4000-8000-000000000001","servings":1}"#.to_owned(),
    ]
    .join("\n")
}

/// Returns lines with an invalid value, each containing the marker.
fn bad_lines() -> String {
    [
        format!(r#"{{"type":"sleep_session","time_in_bed_start":"{HEALTH_MARKER}","time_in_bed_end":"2026-01-11T07:00:00+01:00"}}"#),
        format!(r#"{{"type":"sleep_session","time_in_bed_start":"2026-01-10T23:17:00+01:00","time_in_bed_end":"2026-01-11T07:00:00+01:00","raw_sleep":[{{"stage":"{HEALTH_MARKER}","start":"2026-01-10T23:17:00+01:00","end":"2026-01-11T06:50:00+01:00"}}]}}"#),
        format!(r#"{{"type":"supplement","id":"{HEALTH_MARKER}","name":["{HEALTH_MARKER}"]}}"#),
        format!(r#"{{"type":"supplement_log","created_at":"2026-01-10T22:00:00Z","supplement_id":"1a2b3c4d-0000-4000-8000-000000000001","servings":"{HEALTH_MARKER}"}}"#),
        format!(r#"{{"type":"{HEALTH_MARKER}"}}"#),
        format!(r#"{{"type":"profile","biological_sex":"{HEALTH_MARKER}","home_timezone":"{HEALTH_MARKER}"}}"#),
    ]
    .join("\n")
}
