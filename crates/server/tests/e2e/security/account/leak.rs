//! No input of people and browsers to the pages is in a log, at the most verbose level.

use super::super::caller::{Caller, Reply};
use super::super::raw;
use super::content::content_of;
use super::people::{OTHER_PASSWORD, PASSWORD, WRONG_PASSWORD, give_password};
use super::visit::{allow, cookie_header, fill, form_token, make_token, sign_in, try_to_sign_in};
use crate::e2e::app::{Registration, SCOPES, register};
use crate::e2e::browser::{Browser, VISIT};
use crate::e2e::operation::mail_server::{MailServer, Message, with_mail};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use reqwest::{Method, RequestBuilder};
use std::fs::File;

/// Sent in every place for a text.
const MARKER: &str = "LEAKME123";
const EMAIL: &str = "sleeper@example.org";

/// Every page, and the targets of its forms.
const PATHS: [&str; 17] = [
    "/authorize",
    "/sign-in",
    "/sign-out",
    "/sign-up",
    "/forgot-password",
    "/set-password",
    "/consent",
    "/apps",
    "/apps/disconnect",
    "/tokens",
    "/tokens/revoke",
    "/activity",
    "/account",
    "/account/password",
    "/account/sign-out-everywhere",
    "/assets/pages.css",
    "/sign-in/",
];

/// Every known parameter and field of a page, and an unknown one. The name of a token and the state of an app
/// are not included: those are stored and shown again.
const NAMES: [&str; 30] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "response_mode",
    "login_hint",
    "request",
    "to",
    "hint",
    "link",
    "before",
    "done",
    "email",
    "password",
    "time_zone",
    "current_password",
    "new_password",
    "disconnect_apps",
    "client",
    "all",
    "token",
    "expires",
    "decision",
    "remember",
    "form_token",
    "next",
    "unknown",
];

on_both_stores! {
    // T01
    async fn no_input_of_a_browser_is_written_anywhere(world: World) {
        let registration = register(&world);
        let mail = MailServer::start().await;
        let world = with_mail(world, mail.port)
            .with("RESTWELL__LOG__LEVEL", "trace")
            .with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true")
            .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", "1000000");
        give_password(&world, &registration.user_id, PASSWORD);
        let server = start(&world);
        let browser = Browser::new(&server);
        let mut hidden = use_every_secret(&world, &server, &registration, &mail, &browser).await;
        let stranger = Browser::new(&server);
        stranger.open("/sign-in").await;
        let mut sent = 0;
        for path in PATHS {
            for browser in [&browser, &stranger] {
                sent += plant_everywhere(browser, path).await;
            }
            plant_in_raw_bytes(&server, path).await;
        }
        let output = output_of(&world);
        let lines = output.matches("request served").count();
        assert!(lines > sent / 2, "the log is not at its most talkative: {lines} of {sent}");
        assert!(output.contains(r#""level":"DEBUG""#));
        hidden.extend([MARKER.to_owned(), MARKER.to_lowercase(), "LEAK%4DE123".to_owned(), EMAIL.to_owned()]);
        for hidden in &hidden {
            let encoded: String = url::form_urlencoded::byte_serialize(hidden.as_bytes()).collect();
            let line = output.lines().find(|line| line.contains(hidden.as_str()) || line.contains(&encoded));
            assert_eq!(line, None, "{hidden} is in the log");
        }
        let content = content_of(&world);
        assert!(content.contains(EMAIL));
        // Names of tokens and states of apps are stored deliberately, and were not sent.
        assert!(!content.to_lowercase().contains(&MARKER.to_lowercase()), "a request left its text in the store");
    }
}

/// Starts the server with both of its outputs redirected to files.
fn start(world: &World) -> Server {
    let mut command = world.command(&["serve"]);
    command.stdout(File::create(world.dir.path().join("server.out")).expect("file"));
    Server::spawn(command, &world.dir.path().join("server.log"))
}

/// Returns the server's output: both streams, and every other file except the store.
fn output_of(world: &World) -> String {
    let mut folders = vec![world.dir.path().to_owned()];
    let mut output = String::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if !name.starts_with("restwell.db") {
                output.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).expect("file")));
            }
        }
    }
    output
}

/// Uses each kind of a person's secret successfully and unsuccessfully; returns them all. Afterwards the
/// browser is signed in.
async fn use_every_secret(
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
    let caller = Caller::of(server);
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

/// Sends the marker in every place of a browser's request; returns the number of requests.
async fn plant_everywhere(browser: &Browser, path: &str) -> usize {
    let token = match browser.get("/account").await {
        page if page.status == 200 => form_token(&page, "/account/password"),
        _ => form_token(&browser.get("/sign-in").await, "/sign-in"),
    };
    let requests = [
        in_addresses(browser, path),
        in_headers(browser, path),
        in_forms(browser, path, &token),
        with_methods(browser, path),
    ];
    let mut sent = 0;
    for request in requests.into_iter().flatten() {
        let reply = Reply::to(request).await;
        assert!(reply.status < 500, "{path}: {reply:?}");
        sent += 1;
    }
    sent
}

/// Encodes every parameter with the marker as its value.
fn every_parameter() -> String {
    NAMES.map(|name| format!("{name}={MARKER}")).join("&")
}

fn in_addresses(browser: &Browser, path: &str) -> Vec<RequestBuilder> {
    let get = |path: String| browser.request(Method::GET, &path);
    let every = every_parameter();
    let mut requests = vec![
        get(format!("{path}?{every}")),
        get(format!("{path}?{every}&{every}")),
        get(format!("{path}?link=rwl_{MARKER}&request=LEAK%4DE123&x=%ff{MARKER}&y=%{MARKER}")),
        get(format!("{path}?{}", MARKER.repeat(2000))),
        get(format!("{path}/{MARKER}")),
        get(format!("{path}{MARKER}?x=%00{MARKER}")),
    ];
    requests.extend(NAMES.map(|name| get(format!("{path}?{name}={MARKER}"))));
    requests
}

fn in_headers(browser: &Browser, path: &str) -> Vec<RequestBuilder> {
    let get = || browser.request(Method::GET, path);
    let cookies = [
        MARKER.to_owned(),
        format!("restwell_session={MARKER}; restwell_visit={MARKER}"),
        format!("restwell_session=rwe_{MARKER}; __Host-restwell_session={MARKER}"),
        format!("{}; {MARKER}={MARKER}", cookie_header(browser)),
        MARKER.repeat(1900),
    ];
    let mut requests: Vec<_> = cookies.map(|cookies| get().header("cookie", cookies)).into();
    let names = ["user-agent", "referer", "origin", "sec-fetch-site", "accept-language", "x-request-id"];
    requests.extend(names.map(|name| get().header(name, MARKER)));
    requests.push(get().header("host", MARKER));
    requests.push(get().bearer_auth(MARKER));
    requests
}

fn in_forms(browser: &Browser, path: &str, token: &str) -> Vec<RequestBuilder> {
    let form = "application/x-www-form-urlencoded";
    let good = format!("form_token={token}");
    let every = every_parameter().replace(&format!("&form_token={MARKER}"), "");
    let bodies = [
        (form.to_owned(), every_parameter()),
        (form.to_owned(), format!("{good}&{every}")),
        (form.to_owned(), format!("{good}&{every}&{every}")),
        (form.to_owned(), format!("{good}&password={}", MARKER.repeat(150))),
        (form.to_owned(), format!("{good}&password={}", MARKER.repeat(3000))),
        (form.to_owned(), format!("{good}&email={MARKER}@example.org&password={MARKER}")),
        (form.to_owned(), format!("{good}&email={MARKER}%0d%0a&link=rwl_{MARKER}&x=%ff{MARKER}")),
        (form.to_owned(), format!("{good}&x=%{MARKER}")),
        (format!("{form}; charset={MARKER}"), format!("{good}&{every}")),
        (format!("multipart/form-data; boundary={MARKER}"), format!("--{MARKER}\r\n")),
        ("application/json".to_owned(), format!(r#"{{"form_token":"{token}","password":"{MARKER}"}}"#)),
        (format!("text/{MARKER}"), every.clone()),
    ];
    // Two forms would have an effect: one ends the test's session, the other stores the address of a sign-up.
    let is_end = path.contains("sign-out");
    let is_sign_up = path == "/sign-up";
    let bodies = bodies.into_iter().filter(|(_, body)| {
        (!is_end || !body.contains(token)) && (!is_sign_up || !body.contains("@example.org"))
    });
    let post = |(kind, body): (String, String)| {
        browser.request(Method::POST, path).header("content-type", kind).body(body)
    };
    bodies.map(post).collect()
}

fn with_methods(browser: &Browser, path: &str) -> Vec<RequestBuilder> {
    let every = every_parameter();
    let names = ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", MARKER];
    let methods = names.map(|name| Method::from_bytes(name.as_bytes()).expect("method"));
    let request = |method: Method| {
        let in_body = browser.request(method.clone(), path);
        [
            browser.request(method, &format!("{path}?{every}")),
            in_body.header("content-type", "application/x-www-form-urlencoded").body(every.clone()),
        ]
    };
    methods.into_iter().flat_map(request).collect()
}

/// Sends the marker in places where no library would put it.
async fn plant_in_raw_bytes(server: &Server, path: &str) {
    for head in [
        format!("GET {path}?link={MARKER} HTTP/1.1\r\n{MARKER}: {MARKER}\r\nHost: a"),
        format!("GET {path}?link={MARKER} HTTP/1.1\r\nHost: a\r\n{MARKER}"),
        format!("GET {path}?link={MARKER} {MARKER}/1.1\r\nHost: a"),
        format!("GET http://{MARKER}{path}?link={MARKER} HTTP/1.1\r\nHost: {MARKER}"),
        format!("POST {path} HTTP/1.1\r\nHost: a\r\nCookie: {MARKER}\r\nContent-Length: {MARKER}"),
    ] {
        let answer = raw::exchange(server, format!("{head}\r\nConnection: close\r\n\r\n").as_bytes()).await;
        assert!(!answer.contains(MARKER), "{answer}");
    }
}
