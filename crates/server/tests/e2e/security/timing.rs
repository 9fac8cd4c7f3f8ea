//! What time tells.

use super::caller::{Caller, Form};
use super::party::another_person;
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::world::World;
use std::time::{Duration, Instant};

/// How far two medians may lie apart.
const LIMIT: Duration = Duration::from_millis(1);
/// Rounds, of which the one in the middle decides: a burst of other work spoils one, a leak shows in all.
const ROUNDS: usize = 3;
/// Samples of each kind in a round.
const SAMPLES: usize = 200;

on_both_stores! {
    // T44
    async fn an_unknown_client_and_a_wrong_secret_take_the_same_time_and_look_the_same(world: World) {
        let world = world
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "1000000")
            .with("RESTWELL__TOKENS__FAILURES_PER_ADDRESS", "1000000");
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::of(&server);
        // Of the form of a secret, so that both are hashed and compared.
        let wrong = registration.client_secret.chars().rev().collect::<String>();
        let known = Form::of_code(&registration, "rwc_any").with("client_secret", &wrong);
        let unknown = known.clone().with("client_id", "00000000-0000-4000-8000-000000000001");
        let replies = [caller.post("/api/token", &known).await, caller.post("/api/token", &unknown).await];
        for reply in &replies {
            reply.assert_error(401, "invalid_client");
        }
        assert_eq!(replies[0].body, replies[1].body);
        assert_eq!(replies[0].header_names(), replies[1].header_names());
        let apart = medians_apart(async |first| {
            let form = if first { &known } else { &unknown };
            caller.post("/api/token", form).await.assert_error(401, "invalid_client");
        });
        let apart = apart.await;
        assert!(apart < LIMIT, "{apart:?}");
    }

    // T69
    async fn a_person_who_exists_and_one_who_does_not_are_refused_in_the_same_time(world: World) {
        let registration = register(&world);
        let other = another_person(&world, &registration, "other@example.org");
        let server = world.serve();
        let caller = Caller::of(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let existing = format!("/api/v1/sleep/{}", other.user_id);
        let absent = "/api/v1/sleep/11111111-2222-4333-8444-555555555555";
        let apart = medians_apart(async |first| {
            let path = if first { &existing } else { absent };
            caller.read(&tokens.access, path).await.assert_problem(403, "other_user");
        });
        let apart = apart.await;
        assert!(apart < LIMIT, "{apart:?}");
    }
}

/// Measures two kinds of requests in turns, and returns how far apart their medians are in the middle round.
async fn medians_apart(ask: impl AsyncFn(bool)) -> Duration {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let mut samples: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
        for number in 0..2 * SAMPLES {
            // First, second, second, first: a drift meets both alike.
            let first = matches!(number % 4, 0 | 3);
            let started = Instant::now();
            ask(first).await;
            samples[usize::from(!first)].push(started.elapsed());
        }
        let [first, second] = samples.map(median);
        rounds.push(first.abs_diff(second));
    }
    median(rounds)
}

fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort();
    samples[samples.len() / 2]
}
