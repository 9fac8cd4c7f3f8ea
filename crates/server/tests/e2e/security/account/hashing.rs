//! Passwords that are meant to overload the server.

use super::super::caller::Caller;
use super::super::raw;
use super::people::{PASSWORD, WRONG_PASSWORD, person, trail};
use super::process::computing_time;
use super::visit::{cookie_header, fill, form_token, sign_in, try_to_sign_in};
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::browser::Browser;
use crate::e2e::browser::{Page, PageForm};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const EMAIL: &str = "slow@example.org";
/// Memory of one hash in these tests: large enough to be distinguished from everything else.
const HASH_MIB: usize = 128;

/// Makes hashing expensive: about a quarter of a second and much memory each.
fn with_expensive_hashes(world: World) -> World {
    world
        .with("RESTWELL__PASSWORDS__MEMORY_KIB", &(HASH_MIB * 1024).to_string())
        .with("RESTWELL__PASSWORDS__ITERATIONS", "4")
        .with("RESTWELL__PASSWORDS__PARALLEL_HASHES", "1")
}

on_sqlite! {
    // T84
    async fn a_password_that_is_too_long_is_rejected_without_hashing(world: World) {
        let world = world.in_processes();
        let world = with_expensive_hashes(world);
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let browser = Browser::new(&server);
        let started = computing_time(&server);
        let reply = try_to_sign_in(&browser, EMAIL, WRONG_PASSWORD).await;
        assert_eq!(reply.status, 422);
        let one_hash = since(&server, started);
        assert!(one_hash > Duration::from_millis(150), "a hash is too cheap to be seen: {one_hash:?}");

        let started = computing_time(&server);
        for length in [1025, 2000, 15_000] {
            let reply = try_to_sign_in(&browser, EMAIL, &"a".repeat(length)).await;
            assert_eq!(reply.status, 400, "{length}: {reply:?}");
        }
        // The limit is in bytes: 400 letters of three bytes each are too many.
        assert_eq!(try_to_sign_in(&browser, EMAIL, &"睡".repeat(400)).await.status, 400);
        assert_eq!(try_to_sign_in(&browser, EMAIL, "").await.status, 400);
        for length in [17 * 1024, 1024 * 1024] {
            let answer = post_raw(&server, &browser, &"a".repeat(length)).await;
            assert_eq!(raw::status_of(&answer), 400, "{length}");
        }
        let all = since(&server, started);
        assert!(all < one_hash, "{all:?}, and one hash takes {one_hash:?}");
        // None of them counted as an attempt.
        assert_eq!(trail(&world, &["--kind", "session.refused", "--user", &user]).len(), 1);
        sign_in(&browser, EMAIL, PASSWORD).await;
    }

    // T84
    async fn in_a_burst_of_sign_ins_one_is_hashed_one_waits_and_data_is_still_served(world: World) {
        const BURST: usize = 14;
        let world = world.in_processes();
        let world = with_expensive_hashes(world)
            .with("RESTWELL__PASSWORDS__WAITING", "1")
            .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT", "1000")
            .with("RESTWELL__RATE_LIMITS__PROFILE", "1000000");
        let registration = register(&world);
        person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let is_over = Arc::new(AtomicBool::new(false));
        let reads = {
            let is_over = is_over.clone();
            tokio::spawn(async move {
                let mut slowest = (0, Duration::ZERO);
                while !is_over.load(Ordering::SeqCst) {
                    let asked_at = Instant::now();
                    let reply = caller.read_profile(&tokens.access, &registration).await;
                    assert_eq!(reply.status, 200, "{reply:?}");
                    slowest = (slowest.0 + 1, slowest.1.max(asked_at.elapsed()));
                }
                slowest
            })
        };
        let started = Instant::now();
        let replies = burst(&server, BURST).await;
        let took = started.elapsed();
        is_over.store(true, Ordering::SeqCst);
        let (reads, slowest) = reads.await.expect("reads");
        let busy: Vec<_> = replies.iter().filter(|reply| reply.status == 503).collect();
        let looked_at = replies.iter().filter(|reply| reply.status == 422).count();
        assert_eq!(busy.len() + looked_at, BURST, "{:?}", replies.iter().map(|r| r.status).collect::<Vec<_>>());
        assert!(looked_at >= 2 && !busy.is_empty(), "{looked_at} were hashed, {} turned away", busy.len());
        for reply in busy {
            assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
            let seconds: u64 = reply.header("retry-after").expect("Retry-After").parse().expect("seconds");
            assert!((1..=60).contains(&seconds), "{seconds}");
        }
        // Data was served meanwhile, without waiting for the hashes.
        assert!(reads >= 10 && slowest < took, "{reads} reads, the slowest {slowest:?} of {took:?}");
        let peak = server.peak_memory() / 1024 / 1024;
        assert!(peak < 2 * HASH_MIB, "{peak} MiB: more than one password was hashed at a time");
        // Rejected attempts did not count: the account still has nearly all of them.
        sign_in(&Browser::new(&server), EMAIL, PASSWORD).await;
    }
}

/// Returns the server's processor time since an earlier reading.
fn since(server: &Server, started: Duration) -> Duration {
    computing_time(server).saturating_sub(started)
}

/// Sends wrong passwords for one account, concurrently.
async fn burst(server: &Server, count: usize) -> Vec<Page> {
    let mut ready = Vec::new();
    for _ in 0..count {
        let browser = Browser::new(server);
        let fields = [("email", EMAIL), ("password", WRONG_PASSWORD)];
        let form = fill(&browser.open("/sign-in").await, "/sign-in", &fields);
        ready.push((browser, form));
    }
    let send =
        |(browser, form): (Browser, PageForm)| tokio::spawn(async move { browser.submit(&form).await });
    let tasks: Vec<_> = ready.into_iter().map(send).collect();
    let mut replies = Vec::new();
    for task in tasks {
        replies.push(task.await.expect("reply"));
    }
    replies
}

/// Posts a password through a raw socket: a server may reject before a large body is fully sent.
async fn post_raw(server: &Server, browser: &Browser, password: &str) -> String {
    let page = browser.get("/sign-in").await;
    let token = form_token(&page, "/sign-in");
    let body = format!("form_token={token}&email={EMAIL}&password={password}");
    let request = format!(
        "POST /sign-in HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        server.address(),
        cookie_header(browser),
        body.len()
    );
    raw::exchange(server, request.as_bytes()).await
}
