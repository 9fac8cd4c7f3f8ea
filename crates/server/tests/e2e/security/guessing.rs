//! Guessing of client secrets.

use super::caller::{Caller, Form, Reply};
use super::party::another_client;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use chrono::TimeDelta;
use reqwest::Method;
use std::net::Ipv4Addr;

on_sqlite! {
    // T49
    async fn twenty_wrong_secrets_reach_the_limit_and_the_right_one_is_still_accepted(world: World) {
        let world = world.in_processes();
        let registration = register(&world);
        let other = another_client(&world, &registration);
        let mut server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        for _ in 0..20 {
            guess(&caller, &registration).await.assert_error(401, "invalid_client");
        }
        assert_must_wait(&guess(&caller, &registration).await);
        // No header changes the caller's address.
        let form = wrong(&registration);
        for header in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"] {
            let request = caller.request(Method::POST, "/api/token").form(&form.0);
            assert_must_wait(&Reply::to(request.header(header, "for=203.0.113.7")).await);
        }
        // Neither the client itself nor any other is locked out, here or elsewhere.
        caller.refresh(&registration, &tokens.refresh).await.access();
        guess(&caller, &other).await.assert_error(401, "invalid_client");
        let elsewhere = Caller::from_address(&server, Ipv4Addr::new(127, 0, 0, 2));
        elsewhere.refresh(&registration, &tokens.refresh).await.access();
        guess(&elsewhere, &registration).await.assert_error(401, "invalid_client");
        assert_must_wait(&guess(&caller, &registration).await);
        server.kill();

        let server = world.serve_as("after-the-crash");
        let caller = Caller::new(&server);
        assert_must_wait(&guess(&caller, &registration).await);
        caller.refresh(&registration, &tokens.refresh).await.access();
    }

    // T49
    async fn the_window_ends_and_two_servers_share_the_counter(world: World) {
        let world = world
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "4")
            .with("RESTWELL__TOKENS__FAILURE_WINDOW_SECONDS", "600");
        let registration = register(&world);
        let servers: [Server; 2] = [world.serve(), world.serve_as("second")];
        let callers = [Caller::new(&servers[0]), Caller::new(&servers[1])];
        for number in 0..4 {
            guess(&callers[number % 2], &registration).await.assert_error(401, "invalid_client");
        }
        for caller in &callers {
            assert_must_wait(&guess(caller, &registration).await);
        }
        world.advance(TimeDelta::seconds(601));
        guess(&callers[0], &registration).await.assert_error(401, "invalid_client");
    }
}

fn wrong(registration: &Registration) -> Form {
    Form::of_code(registration, "rwc_any").with("client_secret", "rws_guess")
}

async fn guess(caller: &Caller, registration: &Registration) -> Reply {
    caller.post("/api/token", &wrong(registration)).await
}

#[track_caller]
fn assert_must_wait(reply: &Reply) {
    reply.assert_error(429, "temporarily_unavailable");
    let seconds: u32 = reply.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=600).contains(&seconds), "{seconds}");
}
