//! T104: a model of codes, grants, tokens, sessions, people, clients and keys, against two server processes
//! on one database. In any order of actions no token works after its cause was revoked, no code works twice,
//! and everything valid works.
//!
//! A failing sequence is shrunk, and the printed seed reproduces it. `PROPTEST_CASES` and `PROPTEST_RNG_SEED`
//! work as usual.

mod action;
mod case;
mod checking;
mod client;
mod operating;
mod person;
mod scene;
mod state;

use crate::e2e::world::{StoreKind, World};
use action::Action;
use proptest::collection::vec;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use scene::Scene;
use std::ops::RangeInclusive;
use std::time::Duration;

#[test]
fn in_any_sequence_exactly_what_is_valid_works_on_postgres() {
    run(Plan { cases: 16, actions: 1..=60, access_cache: Duration::ZERO });
}

/// The same with servers that cache grants: access then ends after a short time.
#[test]
fn in_any_sequence_cached_access_ends_within_two_seconds_on_postgres() {
    run(Plan { cases: 3, actions: 1..=30, access_cache: Duration::from_millis(300) });
}

/// Number of sequences and kind of servers.
struct Plan {
    cases: u32,
    actions: RangeInclusive<usize>,
    access_cache: Duration,
}

fn run(plan: Plan) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("runtime");
    let scene =
        runtime.block_on(async { Scene::new(World::new(StoreKind::Postgres).await, plan.access_cache) });
    let config = config(plan.cases);
    let seed = config.rng_seed;
    let sequences = vec(action::any(), plan.actions);
    let outcome = TestRunner::new(config).run(&sequences, |actions: Vec<Action>| {
        runtime.block_on(scene.play(&actions)).map_err(TestCaseError::fail)
    });
    if let Err(failure) = outcome {
        panic!("{failure}\nrepeat it with the environment variable PROPTEST_RNG_SEED, {seed:?}");
    }
}

/// Returns the configuration from the environment, by default with a number of cases that fits the gate and a
/// known seed.
fn config(cases: u32) -> Config {
    let from_environment = Config::default();
    let is_given = std::env::var_os("PROPTEST_CASES").is_some();
    let rng_seed = match from_environment.rng_seed {
        RngSeed::Random => RngSeed::Fixed(scene::draw_seed()),
        given @ RngSeed::Fixed(_) => given,
    };
    Config {
        cases: if is_given { from_environment.cases } else { cases },
        rng_seed,
        failure_persistence: None,
        // A step costs milliseconds, not microseconds.
        max_shrink_iters: 0,
        max_shrink_time: 240_000,
        ..from_environment
    }
}
