//! Arbitrary bytes: never a 500, never a hang, never a crash.

use super::caller::{Caller, Form, Reply};
use super::raw::connect;
use crate::e2e::app::{Registration, SCOPES, Tokens, code, register};
use crate::e2e::polling::TIMEOUT;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use reqwest::Method;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

/// Number of concurrent requests.
const AT_ONCE: usize = 16;

on_both_stores! {
    // T104
    async fn no_parameters_make_the_server_fail(world: World) {
        const REQUESTS: u64 = 1000;
        let world = world.in_processes();
        let (registration, server, tokens) = scene(&world).await;
        let caller = Caller::new(&server);
        for number in 0..REQUESTS {
            let mut random = SplitMix64(number);
            let query = odd_query(&mut random);
            let user = &registration.user_id;
            let paths = [
                format!("/api/v1/sleep/{user}?{query}"),
                format!("/api/v1/supplements/{user}?{query}"),
                format!("/api/token?{query}"),
                format!("/api/refresh?{query}"),
            ];
            let path = random.pick(&paths);
            let reply = Reply::to(caller.request(Method::GET, path).bearer_auth(&tokens.access)).await;
            assert!(reply.status < 500, "{path}: {reply:?}");
        }
        assert_well(&server, &registration, &tokens).await;
    }
}

on_sqlite! {
    // T104
    async fn no_bytes_make_the_server_fail_or_hang(world: World) {
        const REQUESTS: u64 = 2000;
        let world = world.in_processes();
        let (registration, server, tokens) = scene(&world).await;
        let seeds = seeds(&registration, &tokens);
        let mut number = 0;
        while number < REQUESTS {
            let batch = (number..number + AT_ONCE as u64).map(|number| {
                let mut random = SplitMix64(number);
                let request = mutated(&mut random, &seeds);
                exchange_or_close(&server, request, number)
            });
            futures_join(batch).await;
            number += AT_ONCE as u64;
        }
        assert_well(&server, &registration, &tokens).await;
    }
}

async fn scene(world: &World) -> (Registration, Server, Tokens) {
    let registration = register(world);
    let server = world.serve();
    let tokens =
        Caller::new(&server).redeem(&registration, &code(world, &registration, &SCOPES)).await.tokens();
    (registration, server, tokens)
}

/// Checks that the server still works, and that no internal error occurred.
async fn assert_well(server: &Server, registration: &Registration, tokens: &Tokens) {
    let caller = Caller::new(server);
    assert_eq!(caller.get("/readyz", &Form(Vec::new())).await.status, 200);
    assert_eq!(caller.read_profile(&tokens.access, registration).await.status, 200);
    let log = server.log();
    // The HTTP library logs a malformed request as an error.
    let is_ours = |line: &&str| !line.contains("stream error: request parse error");
    let is_trouble = |line: &&str| line.contains("panic") || line.contains(r#""level":"ERROR""#);
    let trouble = log.lines().filter(is_ours).find(is_trouble);
    assert_eq!(trouble, None);
}

/// Returns well-formed requests, from which the malformed ones are derived.
fn seeds(registration: &Registration, tokens: &Tokens) -> Vec<Vec<u8>> {
    let refresh = Form::of_refresh(registration, &tokens.refresh).encoded();
    let user = &registration.user_id;
    let bearer = format!("Authorization: Bearer {}\r\n", tokens.access);
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let length = refresh.len();
    let json =
        format!(r#"{{"refresh_token":"{}","client_id":"{}"}}"#, tokens.refresh, registration.client_id);
    let chunked = format!("{length:x}\r\n{refresh}\r\n0\r\n\r\n");
    [
        format!("GET /api/refresh?{refresh} HTTP/1.1\r\nHost: a\r\n\r\n"),
        format!("GET /api/token?code=rwc_x&{refresh} HTTP/1.1\r\nHost: a\r\n\r\n"),
        format!("POST /api/refresh HTTP/1.1\r\nHost: a\r\n{form}Content-Length: {length}\r\n\r\n{refresh}"),
        format!("POST /api/refresh HTTP/1.1\r\nHost: a\r\n{form}Transfer-Encoding: chunked\r\n\r\n{chunked}"),
        format!(
            "POST /api/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{json}",
            json.len()
        ),
        format!("POST /oauth/introspect HTTP/1.1\r\nHost: a\r\n{form}Content-Length: {length}\r\n\r\n{refresh}"),
        format!("POST /oauth/revoke HTTP/1.1\r\nHost: a\r\n{form}Content-Length: 11\r\n\r\ntoken=rwr_x"),
        "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        format!("GET /api/v1/profile/{user} HTTP/1.1\r\nHost: a\r\n{bearer}\r\n"),
        format!("GET /api/v1/sleep/{user}?page=2&pageSize=10&sort=asc&startDate=2026-01-01T00:00:00+01:00 HTTP/1.1\r\nHost: a\r\n{bearer}\r\n"),
        format!("GET /api/supplements/{user}?supplementID={user} HTTP/1.1\r\nHost: a\r\n{bearer}\r\n"),
        "GET /docs/ HTTP/1.1\r\nHost: a\r\nRange: bytes=0-5\r\nAccept-Encoding: gzip\r\n\r\n".to_owned(),
        "GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\nIf-None-Match: x\r\n\r\n".to_owned(),
        "OPTIONS /api/v1/sleep/x HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\n\r\n".to_owned(),
    ]
    .map(String::into_bytes)
    .into()
}

/// Changes a seed in a few places, or generates noise.
fn mutated(random: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    if random.below(20) == 0 {
        return (0..random.below(600)).map(|_| random.byte()).collect();
    }
    let mut bytes = random.pick(seeds).clone();
    for _ in 0..=random.below(6) {
        let place = random.below(bytes.len().max(1)).min(bytes.len());
        let end = (place + random.below(40)).min(bytes.len());
        match random.below(7) {
            0 => bytes.insert(place, random.byte()),
            1 => drop(bytes.drain(place..end)),
            2 => {
                let copy = bytes[place..end].to_vec();
                bytes.splice(place..place, copy).for_each(drop);
            }
            3 => {
                let odd = random.pick::<&str>(&ODD).as_bytes().to_vec();
                bytes.splice(place..end.min(place + 3), odd).for_each(drop);
            }
            4 => bytes.truncate(place),
            5 => {
                let other = random.pick(seeds);
                bytes.truncate(place);
                bytes.extend(&other[place.min(other.len())..]);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = random.byte();
                }
            }
        }
    }
    bytes
}

/// Texts that often break parsers.
const ODD: [&str; 24] = [
    "%00",
    "%ff%fe",
    "%",
    "%2",
    "&",
    "&&==",
    "=",
    "+",
    "\0",
    "\r\n",
    "\r\n\r\n",
    "\u{feff}",
    "\u{1f4a4}",
    "99999999999999999999",
    "-1",
    "1e999",
    "NaN",
    "null",
    "[]",
    "{}",
    "2026-02-30",
    "9999-12-31T23:59:60+99:99",
    "Content-Length: 18446744073709551616\r\n",
    "Transfer-Encoding: chunked\r\n",
];

fn odd_query(random: &mut SplitMix64) -> String {
    const NAMES: [&str; 16] = [
        "page",
        "pageSize",
        "sort",
        "startDate",
        "endDate",
        "include_stages",
        "include_metrics",
        "supplementID",
        "code",
        "client_id",
        "client_secret",
        "redirect_uri",
        "refresh_token",
        "user_id",
        "grant_type",
        "scope",
    ];
    let mut query = String::new();
    for _ in 0..=random.below(5) {
        query.push_str(random.pick::<&str>(&NAMES));
        query.push('=');
        for _ in 0..random.below(6) {
            if random.below(2) == 0 {
                let encoded = url::form_urlencoded::byte_serialize(random.pick::<&str>(&ODD).as_bytes());
                query.extend(encoded);
            } else {
                // Encoded or not, valid or not, except what the client library itself would reject.
                query += format!("%{:02x}", random.byte()).as_str();
            }
        }
        query.push('&');
    }
    query
}

/// Sends bytes and waits for a response. If the server waits for more, closes the sending side and waits for
/// the close.
async fn exchange_or_close(server: &Server, request: Vec<u8>, number: u64) {
    let mut stream = connect(server).await;
    let _ = stream.write_all(&request).await;
    let mut received = vec![0; 32];
    let first = timeout(Duration::from_millis(60), stream.read(&mut received)).await;
    let _ = stream.shutdown().await;
    if first.is_err() {
        let closed = timeout(TIMEOUT, stream.read(&mut received)).await;
        assert!(closed.is_ok(), "case {number} hangs: {:?}", String::from_utf8_lossy(&request));
    }
    let is_failure = received.starts_with(b"HTTP/1.1 5");
    let (request, received) = (String::from_utf8_lossy(&request), String::from_utf8_lossy(&received));
    assert!(!is_failure, "case {number}: {request:?}: {received:?}");
}

async fn futures_join(batch: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut waiting: Vec<_> = batch.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        waiting.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if waiting.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

/// Pseudo-random numbers, the same in every run (`SplitMix64`), so that failures are reproducible.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).expect("small")).expect("small")
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
