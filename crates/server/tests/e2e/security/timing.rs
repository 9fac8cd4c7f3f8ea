//! Timing side channels: two kinds of requests must make the same number of store round trips.
//! `scripts/security-timing` measures the remaining difference, on an idle machine.

use super::caller::{Caller, Form};
use super::party::another_person;
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::collector::metrics;
use crate::e2e::server::Server;
use crate::e2e::world::World;

/// Requests of each kind per round: many more than the server's background queries meanwhile.
const SAMPLES: u64 = 20;
/// Number of rounds, of which the minimum counts: background work such as cleanup only adds.
const ROUNDS: usize = 5;

on_both_stores! {
    // T44
    async fn an_unknown_client_and_a_wrong_secret_are_indistinguishable(world: World) {
        let world = world.in_processes();
        let world = world
            .with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0")
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "1000000")
            .with("RESTWELL__TOKENS__FAILURES_PER_ADDRESS", "1000000");
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        // In the format of a secret, so that both are hashed and compared.
        let wrong = registration.client_secret.chars().rev().collect::<String>();
        let known = Form::of_code(&registration, "rwc_any").with("client_secret", &wrong);
        let unknown = known.clone().with("client_id", "00000000-0000-4000-8000-000000000001");
        let replies = [caller.post("/api/token", &known).await, caller.post("/api/token", &unknown).await];
        for reply in &replies {
            reply.assert_error(401, "invalid_client");
        }
        assert_eq!(replies[0].body, replies[1].body);
        assert_eq!(replies[0].header_names(), replies[1].header_names());
        let steps = steps(&server, async |first| {
            let form = if first { &known } else { &unknown };
            caller.post("/api/token", form).await.assert_error(401, "invalid_client");
        });
        let [of_known, of_unknown] = steps.await;
        assert!(of_known > 0);
        assert_eq!(of_known, of_unknown);
    }

    // T69
    async fn existing_and_unknown_people_are_rejected_with_the_same_store_round_trips(world: World) {
        let world = world.in_processes();
        let world = world.with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0");
        let registration = register(&world);
        let other = another_person(&world, &registration, "other@example.org");
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let existing = format!("/api/v1/sleep/{}", other.user_id);
        let absent = "/api/v1/sleep/11111111-2222-4333-8444-555555555555";
        let replies = [caller.read(&tokens.access, &existing).await, caller.read(&tokens.access, absent).await];
        assert_eq!(replies[0].header_names(), replies[1].header_names());
        let steps = steps(&server, async |first| {
            let path = if first { &existing } else { absent };
            caller.read(&tokens.access, path).await.assert_problem(403, "other_user");
        });
        let [of_existing, of_absent] = steps.await;
        assert_eq!(of_existing, of_absent);
    }
}

/// Sends both kinds of requests, and returns the store round trips for one of each.
async fn steps(server: &Server, ask: impl AsyncFn(bool)) -> [u64; 2] {
    let mut least = [u64::MAX; 2];
    for _ in 0..ROUNDS {
        for (least, first) in least.iter_mut().zip([true, false]) {
            let before = round_trips(server).await;
            for _ in 0..SAMPLES {
                ask(first).await;
            }
            // Rounded: occasional background queries are few compared with that.
            *least = (*least).min((round_trips(server).await - before + SAMPLES / 2) / SAMPLES);
        }
    }
    least
}

/// Returns the number of store round trips so far.
async fn round_trips(server: &Server) -> u64 {
    let page = metrics(server).await;
    let counts = page.lines().filter(|line| line.starts_with("restwell_store_round_trip_seconds_count{"));
    counts.map(|line| line.rsplit_once(' ').expect("value").1.parse::<u64>().expect("number")).sum()
}
