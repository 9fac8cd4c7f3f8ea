//! No input and no data of a person is in any log, trace or metric, at the most verbose level.

use super::account::people::{OTHER_PASSWORD, PASSWORD, WRONG_PASSWORD, give_password};
use super::account::visit::{allow, cookie_header, fill, form_token, make_token, sign_in, try_to_sign_in};
use super::caller::{Caller, Form, Reply, basic};
use super::dump::Dump;
use super::raw;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::browser::{Browser, VISIT};
use crate::e2e::collector::{Collector, metrics};
use crate::e2e::operation::mail_server::{MailServer, Message, with_mail};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, RequestBuilder};
use std::fs::File;

/// Sent in every text field.
const MARKER: &str = "LEAKME123";
/// Stored in a person's data.
const HEALTH_MARKER: &str = "healthleak";
const EMAIL: &str = "sleeper@example.org";

/// Every path for programs, and some that do not exist.
const PATHS: &str = "/api/token /api/refresh /api/token/ /oauth/revoke /oauth/introspect /api/v1/profile/%u /api/v1/sleep/%u \
    /api/v1/supplements/%u /api/v1/changes/%u /api/v1/export/%u /api/v1/users /api/v1/users/%u /api/v1/supplements \
    /api/v1/supplements/%u/logs /api/profile/%u /api/sleep/%u /api/supplements/%u /.well-known/jwks.json \
    /.well-known/oauth-authorization-server /openapi.json /docs /errors /livez /readyz /nowhere";

/// Every page, and the targets of their forms.
const PAGES: &str = "/authorize /sign-in /sign-in/ /sign-out /sign-up /forgot-password /set-password /consent /apps \
    /apps/disconnect /tokens /tokens/revoke /activity /account /account/password /account/sign-out-everywhere \
    /account/sign-out-others /account/sign-out /account/second-factor /account/second-factor/off /account/recovery-codes \
    /sign-in/second-factor /account/export /account/erase /imports /imports/undo /assets/pages.css";

/// Every known parameter and field except the name of a token and the state of an app, which are stored and
/// shown again; and an unknown one.
const NAMES: &str = "code client_id client_secret redirect_uri refresh_token token token_type_hint user_id code_verifier scope \
    grant_type access_token startDate supplementID page response_type code_challenge code_challenge_method prompt \
    response_mode login_hint request to hint link before done email password time_zone current_password new_password \
    disconnect_apps client all expires decision remember code enrolment session with app form_token next unknown";

on_both_stores! {
    // T01
    async fn no_input_is_written_anywhere(world: World) {
        let (collector, mail) = (Collector::start(), MailServer::start().await);
        let world = world.in_processes();
        // Before email is configured, so that no link is sent.
        let registration = register(&world);
        give_password(&world, &registration.user_id, PASSWORD);
        let world = with_mail(collector.watching(world), mail.port)
            .with("RESTWELL__LOG__LEVEL", "trace")
            .with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true")
            .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", "1000000")
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "1000000")
            .with("RESTWELL__TOKENS__FAILURES_PER_ADDRESS", "1000000");
        let mut server = start(&world);
        let [owner, visitor, stranger] = [(); 3].map(|()| Browser::new(&server));
        let mut hidden = use_every_secret(&world, &server, &registration).await;
        let access = hidden[0].clone();
        hidden.extend(use_every_secret_of_a_person(&world, &server, &registration, &mail, &owner).await);
        visitor.open("/sign-in").await;
        for path in PATHS.split_whitespace().chain(PAGES.split_whitespace()) {
            let path = path.replace("%u", &registration.user_id);
            for reply in plant_everywhere(&stranger, &path, &access, "no token").await {
                assert!(!reply.body.contains(MARKER), "{path}: the input is repeated: {reply:?}");
            }
            plant_in_raw_bytes(&server, &path).await;
        }
        for path in PAGES.split_whitespace() {
            // No form has signed the owner out.
            let token = form_token(&owner.open("/account").await, "/account/password");
            plant_everywhere(&owner, path, &access, &token).await;
            let token = form_token(&visitor.get("/sign-in").await, "/sign-in");
            send(path, in_bodies(&visitor, path, &token)).await;
        }
        let figures = metrics(&server).await;
        assert!(figures.contains("restwell_http_requests_total"), "{figures}");
        server.terminate();
        assert!(collector.taken().len() > 100_000, "no traces were sent");
        let output = output_of(&world) + &figures + &String::from_utf8_lossy(&collector.taken());
        assert!(output.matches("request served").count() > 4_000, "the log is not at its most verbose");
        assert!(output.contains(r#""level":"DEBUG""#));
        let encoded = STANDARD.encode(format!("{MARKER}:{MARKER}"));
        let markers = [MARKER.to_owned(), MARKER.to_lowercase(), encoded, "LEAK%4DE123".to_owned()];
        for hidden in hidden.iter().chain(&markers).chain(&[EMAIL.to_owned()]) {
            let encoded: String = url::form_urlencoded::byte_serialize(hidden.as_bytes()).collect();
            let line = output.lines().find(|line| line.contains(hidden.as_str()) || line.contains(&encoded));
            assert_eq!(line, None, "{hidden} is in the log");
        }
        let dump = Dump::live(&world).await;
        assert!(dump.holds(EMAIL));
        assert!(hidden.iter().chain(&markers).all(|hidden| !dump.holds(hidden)), "a request left its text in the store");
    }
}

on_sqlite! {
    // T01
    async fn health_data_is_written_only_to_the_store(world: World) {
        let world = world.in_processes();
        let world = world.with("RESTWELL__LOG__LEVEL", "trace");
        let registration = register(&world);
        let user = registration.user_id.as_str();
        world.ok(&["user", "update", user, "--weight-kg", "71.8125", "--height-cm", "168.4375"]);
        let (good, bad) = (world.file("good.ndjson", &good_lines()), world.file("bad.ndjson", &bad_lines()));
        let mut reported = String::new();
        for file in [&good, &bad] {
            let output = world.run(&["import", "--user", user, "--json", file]);
            reported.push_str(&String::from_utf8_lossy(&output.stderr));
            reported.push_str(&String::from_utf8_lossy(&output.stdout));
        }
        let server = start(&world);
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let mut shown = String::new();
        for path in ["profile/%u", "sleep/%u?include_stages=true&include_metrics=true", "supplements/%u"] {
            let reply = caller.read(&tokens.access, &format!("/api/v1/{}", path.replace("%u", user))).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            shown.push_str(&reply.body);
        }
        let export = world.run(&["export", "--user", user]);
        reported.push_str(&String::from_utf8_lossy(&export.stderr));
        let output = output_of(&world) + &reported;
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

/// Uses each kind of secret of an app once successfully and once not; returns them all.
///
/// The access token is the first.
async fn use_every_secret(world: &World, server: &Server, registration: &Registration) -> Vec<String> {
    let caller = Caller::new(server);
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

/// Uses each kind of a person's secret successfully and unsuccessfully; returns them all. Afterwards the
/// browser is signed in.
async fn use_every_secret_of_a_person(
    world: &World,
    server: &Server,
    registration: &Registration,
    mail: &MailServer,
    browser: &Browser,
) -> Vec<String> {
    let visit_token = form_token(&browser.get("/sign-in").await, "/sign-in");
    try_to_sign_in(browser, EMAIL, WRONG_PASSWORD).await;
    let page = browser.get("/forgot-password").await;
    browser.submit(&fill(&page, "/forgot-password", &[("email", EMAIL)])).await;
    let message = mail.wait_for(1).await.remove(0);
    let page = browser.get(&message.link()).await;
    let too_short = "Kahmfusselzopf";
    browser.submit(&fill(&page, "/set-password", &[("password", too_short)])).await;
    browser.submit(&fill(&page, "/set-password", &[("password", OTHER_PASSWORD)])).await;
    browser.submit(&fill(&page, "/set-password", &[("password", PASSWORD)])).await;
    browser.get(&message.link()).await;
    sign_in(browser, EMAIL, OTHER_PASSWORD).await;
    let ended = browser.session();
    let page = browser.get("/account").await;
    let fields = [("current_password", OTHER_PASSWORD), ("new_password", PASSWORD)];
    assert_eq!(browser.submit(&fill(&page, "/account/password", &fields)).await.status, 303);
    let caller = Caller::new(server);
    let code = allow(browser, registration, &SCOPES).await;
    let tokens = caller.redeem(registration, &code).await.tokens();
    let personal = make_token(browser, "Notebook", "sleep").await;
    caller.read(&personal, &format!("/api/v1/sleep/{}", registration.user_id)).await;
    let page = browser.get("/tokens").await;
    browser.submit(&fill(&page, "/tokens/revoke", &[])).await;
    caller.read(&personal, &format!("/api/v1/sleep/{}", registration.user_id)).await;
    world.ok(&["user", "reset-password", &registration.user_id]);
    let session_token = form_token(&browser.get("/account").await, "/account/password");
    // Two links, and two notices of the password change.
    let messages = mail.wait_for(4).await;
    let with_link = messages.iter().filter(|message| message.text.contains("rwl_"));
    let mut secrets: Vec<String> = with_link.map(Message::secret).collect();
    assert_eq!(secrets.len(), 2);
    secrets.extend([browser.session(), browser.cookie(VISIT).expect("visit")]);
    secrets.extend([ended, visit_token, session_token, code, tokens.access, tokens.refresh, personal]);
    secrets.extend([PASSWORD, OTHER_PASSWORD, WRONG_PASSWORD, too_short].map(str::to_owned));
    secrets
}

/// Sends the marker in every place of a well-formed request, with every method; returns the responses.
async fn plant_everywhere(browser: &Browser, path: &str, access: &str, form_token: &str) -> Vec<Reply> {
    let requests = [
        in_addresses(browser, path, access),
        in_headers(browser, path, access),
        in_bodies(browser, path, form_token),
        with_methods(browser, path, access),
    ];
    send(path, requests.into_iter().flatten().collect()).await
}

async fn send(path: &str, requests: Vec<RequestBuilder>) -> Vec<Reply> {
    let mut replies = Vec::new();
    for request in requests {
        let reply = Reply::to(request).await;
        assert!(reply.status < 500, "{path}: {reply:?}");
        replies.push(reply);
    }
    replies
}

/// Encodes every parameter with the marker as its value.
fn every_parameter() -> String {
    NAMES.split_whitespace().map(|name| format!("{name}={MARKER}")).collect::<Vec<_>>().join("&")
}

fn in_addresses(browser: &Browser, path: &str, access: &str) -> Vec<RequestBuilder> {
    let get = |path: String| browser.request(Method::GET, &path);
    let every = every_parameter();
    let paging = format!("sort={MARKER}&page={MARKER}&startDate={MARKER}&pageSize=%F0%9F{MARKER}");
    let mut requests = vec![
        get(format!("{path}?{every}")),
        get(format!("{path}?{every}&{every}")),
        get(format!("{path}?code=LEAK%4DE123&link=rwl_{MARKER}&client_secret=%ff{MARKER}&x=%{MARKER}")),
        get(format!("{path}?{}", MARKER.repeat(2000))),
        get(format!("{path}/{MARKER}")),
        get(format!("{path}{MARKER}?x=%00{MARKER}")),
        get(format!("{path}?{paging}")).bearer_auth(access),
    ];
    requests.extend(NAMES.split_whitespace().map(|name| get(format!("{path}?{name}={MARKER}"))));
    requests
}

fn in_headers(browser: &Browser, path: &str, access: &str) -> Vec<RequestBuilder> {
    let get = || browser.request(Method::GET, path);
    let mut requests = vec![
        get().bearer_auth(access).header("authorization", format!("Bearer {MARKER}")),
        get().header("x-filler", MARKER.repeat(1900)),
        get().header("host", MARKER),
    ];
    let credentials = [
        format!("Bearer {MARKER}"),
        format!("Bearer {MARKER}.{MARKER}.{MARKER}"),
        basic((MARKER, MARKER)),
        format!("Basic {MARKER}"),
        format!("{MARKER} {MARKER}"),
    ];
    requests.extend(credentials.map(|credentials| get().header("authorization", credentials)));
    let cookies = [
        format!("restwell_session={MARKER}; restwell_visit={MARKER}"),
        format!("restwell_session=rwe_{MARKER}; __Host-restwell_session={MARKER}"),
        format!("{}; {MARKER}={MARKER}", cookie_header(browser)),
        MARKER.repeat(1900),
    ];
    requests.extend(cookies.map(|cookies| get().header("cookie", cookies)));
    let names = "cookie x-request-id user-agent referer origin sec-fetch-site accept-language x-forwarded-for traceparent";
    requests.extend(names.split_whitespace().map(|name| get().header(name, MARKER)));
    requests
}

fn in_bodies(browser: &Browser, path: &str, form_token: &str) -> Vec<RequestBuilder> {
    let form = "application/x-www-form-urlencoded";
    let json = "application/json";
    let valid = format!("form_token={form_token}");
    let every = every_parameter();
    let others = every.replace(&format!("&form_token={MARKER}"), "");
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
        (format!("multipart/form-data; boundary={MARKER}"), format!("--{MARKER}\r\n")),
        (form.to_owned(), format!("{valid}&{others}")),
        (form.to_owned(), format!("{valid}&{others}&{others}")),
        (form.to_owned(), format!("{valid}&password={}", MARKER.repeat(150))),
        (form.to_owned(), format!("{valid}&password={}", MARKER.repeat(3000))),
        (form.to_owned(), format!("{valid}&email={MARKER}@example.org&password={MARKER}")),
        (form.to_owned(), format!("{valid}&email={MARKER}%0d%0a&link=rwl_{MARKER}&x=%ff{MARKER}")),
        (form.to_owned(), format!("{valid}&x=%{MARKER}")),
    ];
    // Two forms would have an effect: one ends the test's session, the other stores the address of a sign-up.
    let has_effect = |body: &str| {
        (path.contains("sign-out") && body.contains(form_token))
            || (path == "/sign-up" && body.contains("@example.org"))
    };
    let bodies = bodies.into_iter().filter(|(_, body)| !has_effect(body));
    bodies
        .map(|(kind, body)| browser.request(Method::POST, path).header("content-type", kind).body(body))
        .collect()
}

fn with_methods(browser: &Browser, path: &str, access: &str) -> Vec<RequestBuilder> {
    let every = every_parameter();
    let names = ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", MARKER];
    let request = |name: &str| {
        let method = Method::from_bytes(name.as_bytes()).expect("method");
        let in_body = browser.request(method.clone(), path).bearer_auth(access);
        [
            browser.request(method, &format!("{path}?{every}")).bearer_auth(MARKER),
            in_body.header("content-type", "application/x-www-form-urlencoded").body(every.clone()),
        ]
    };
    names.into_iter().flat_map(request).collect()
}

/// Sends the marker in places where no library would put it.
async fn plant_in_raw_bytes(server: &Server, path: &str) {
    for head in [
        format!("GET {path}?code={MARKER} HTTP/1.1\r\n{MARKER}: {MARKER}\r\nHost: a"),
        format!("GET {path}?code={MARKER} HTTP/1.1\r\nHost: a\r\n{MARKER}"),
        format!("GET {path}?code={MARKER} {MARKER}/1.1\r\nHost: a"),
        format!("GET {path}?code={MARKER}\u{ff} HTTP/1.1\r\nHost: a"),
        format!("GET http://{MARKER}{path}?code={MARKER} HTTP/1.1\r\nHost: {MARKER}"),
        format!(
            "POST {path}?code={MARKER} HTTP/1.1\r\nHost: a\r\nCookie: {MARKER}\r\nContent-Length: {MARKER}"
        ),
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
