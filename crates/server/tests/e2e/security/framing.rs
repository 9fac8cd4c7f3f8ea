//! Requests that are malformed on the wire: each is rejected, and none uses up its code.

use super::caller::Form;
use super::raw::{exchange, status_of};
use crate::e2e::app::{Registration, SCOPES, code, redeem, register};
use crate::e2e::world::World;

on_sqlite! {
    // T90 to T98, T100
    async fn no_malformed_request_uses_up_its_valid_code(world: World) {
        let registration = register(&world);
        let code = code(&world, &registration, &SCOPES);
        let query = Form::of_code(&registration, &code).encoded();
        let server = world.serve();
        let mut requests = malformed_queries(&registration, &code);
        requests.extend(malformed_bodies(&query));
        requests.extend(malformed_framing(&query));
        requests.extend(other_methods_and_paths(&query));
        for (request, allowed) in &requests {
            let answer = exchange(&server, request).await;
            let shown = String::from_utf8_lossy(request);
            let shown = shown.get(..shown.len().min(400)).unwrap_or_default();
            assert!(allowed.contains(&status_of(&answer)), "{shown:?}\nexpected {allowed:?}: {answer}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{shown:?} was answered twice: {answer}");
            assert!(!answer.contains("access_token"), "{shown:?}: {answer}");
        }
        redeem(&server, &registration, &code).await;
    }

    // T98: a second request cannot hide in the first one.
    async fn an_ambiguous_request_closes_its_connection(world: World) {
        let server = world.serve();
        let hidden = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
        for head in [
            format!("Content-Length: {}\r\nTransfer-Encoding: chunked", hidden.len()),
            format!("Transfer-Encoding: chunked\r\nContent-Length: {}", hidden.len()),
            "Content-Length: 5\r\nContent-Length: 6".to_owned(),
            "Transfer-Encoding: chunked, identity".to_owned(),
        ] {
            let request = format!("POST /api/token HTTP/1.1\r\nHost: a\r\n{head}\r\n\r\n0\r\n\r\n{hidden}");
            let answer = exchange(&server, request.as_bytes()).await;
            assert_eq!(status_of(&answer), 400, "{head}: {answer}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{head}: {answer}");
        }
    }
}

/// Request and the allowed statuses of its response.
type Attempt = (Vec<u8>, &'static [u16]);

fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").into_bytes()
}

fn post(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{head}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

// T90 to T93, T96
fn malformed_queries(registration: &Registration, code: &str) -> Vec<Attempt> {
    let good = Form::of_code(registration, code).encoded();
    let parts = [
        format!("{good}&code={code}"),
        format!("{good}&code=another"),
        format!("{good}&client_secret={}", registration.client_secret),
        format!("{good}&c%6Fde={code}"),
        format!("{good}&grant_type="),
        format!("{good}&scope=%00"),
        format!("{good}%00"),
        format!("{good}%ff%fe"),
        format!("{good}%2"),
        format!("{good}%zz"),
        format!("{good}&unknown=%ff"),
        good.replace("code=", "code[]="),
        good.replace("code=", "Code="),
        good.replace(&format!("code={code}"), "code="),
        good.replace(&format!("code={code}"), "code"),
        good.replace("redirect_uri=", "redirect_uri=&x="),
    ];
    let mut attempts: Vec<Attempt> =
        parts.iter().map(|query| (get(&format!("/api/token?{query}")), [400].as_slice())).collect();
    attempts.push((get(&format!("/api/token?{good}&x={}", "y".repeat(8200))), &[414]));
    let raw = [b"GET /api/token?".as_slice(), good.as_bytes(), b"\xff HTTP/1.1\r\nHost: a\r\n\r\n"].concat();
    attempts.push((raw, &[400]));
    attempts
}

// T90, T94, T95
fn malformed_bodies(good: &str) -> Vec<Attempt> {
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let json = "Content-Type: application/json\r\n";
    let object: Vec<_> = url::form_urlencoded::parse(good.as_bytes()).collect();
    let members =
        object.iter().map(|(name, value)| format!("\"{name}\":\"{value}\"")).collect::<Vec<_>>().join(",");
    let bom = ["\u{feff}", good].concat();
    let kinds: [(&str, String, &[u16]); 16] = [
        ("", good.to_owned(), &[400, 415]),
        ("Content-Type: text/plain\r\n", good.to_owned(), &[400, 415]),
        ("Content-Type: multipart/form-data; boundary=b\r\n", good.to_owned(), &[400, 415]),
        ("Content-Type: application/x-www-form-urlencoded; charset=utf-16\r\n", good.to_owned(), &[400]),
        (&format!("{form}Content-Encoding: gzip\r\n"), good.to_owned(), &[400, 415]),
        (&format!("{form}{form}"), good.to_owned(), &[400, 415]),
        (form, bom, &[400]),
        (form, format!("{good}&{good}"), &[400]),
        (form, format!("{good}&x={}", "y".repeat(16 * 1024)), &[413]),
        (json, format!("{{{members},\"code\":\"again\"}}"), &[400]),
        (json, format!("{{{members},\"scope\":[\"sleep\"]}}"), &[400]),
        (json, format!("{{{members},\"scope\":{{}}}}"), &[400]),
        (json, format!("[{{{members}}}]"), &[400]),
        (json, format!("{{{members}}} x"), &[400]),
        (json, format!("{{{members}"), &[400]),
        (json, format!("{{{members},\"x\":\"{}\"}}", "y".repeat(16 * 1024)), &[413]),
    ];
    kinds.into_iter().map(|(head, body, allowed)| (post(head, body.as_bytes()), allowed)).collect()
}

// T96, T98
fn malformed_framing(good: &str) -> Vec<Attempt> {
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let length = good.len();
    let heads = [
        format!("Host: a\r\n{form}Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Host: a\r\n{form}Content-Length: {length}\r\nContent-Length: 4\r\n"),
        format!("Host: a\r\n{form}Content-Length: +{length}\r\n"),
        format!("Host: a\r\n{form}Transfer-Encoding: xchunked\r\n"),
        format!("Host : a\r\n{form}Content-Length: {length}\r\n"),
        format!("Host: a\r\nX: a\r\n b\r\n{form}Content-Length: {length}\r\n"),
        format!("Host: a\r\nHost: b\r\n{form}Content-Length: {length}\r\n"),
        format!("Host: a\r\nX: a\0b\r\n{form}Content-Length: {length}\r\n"),
    ];
    let mut attempts: Vec<Attempt> = heads
        .iter()
        .map(|head| (format!("POST /api/token HTTP/1.1\r\n{head}\r\n{good}").into_bytes(), [400].as_slice()))
        .collect();
    let line = format!("GET /api/token?{good} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n");
    attempts.push((format!("{line}{}\r\n", "X: y\r\n".repeat(120)).into_bytes(), &[431]));
    attempts.push((format!("{line}X: {}\r\n\r\n", "y".repeat(17 * 1024)).into_bytes(), &[431]));
    attempts
}

// T97, T100
fn other_methods_and_paths(good: &str) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for method in ["HEAD", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "get"] {
        let request = format!("{method} /api/token?{good} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        attempts.push((request.into_bytes(), &[400, 405]));
    }
    for path in [
        "/api/token/",
        "//api/token",
        "/api//token",
        "/API/token",
        "/api/token;x",
        "/api/./token",
        "/api/v1/token",
    ] {
        attempts.push((get(&format!("{path}?{good}")), &[404]));
    }
    attempts.push((get(&format!("/api/token%3F{good}")), &[404]));
    attempts.push((get(&format!("/api/refresh?{good}")), &[400]));
    attempts
}
