//! End-to-end tests of the program from the view of operators, apps and people.
//!
//! Each test has a separate store, copied from one that is migrated once: a SQLite file in a temporary
//! folder, or a database in the cluster named by `RESTWELL_TEST_POSTGRES` (`scripts/test` starts one).
//! Commands and servers run in the process of the tests. Tests of logs, signals, crashes, metrics, traces,
//! memory, pipes or the environment need separate processes; they use `World::in_processes` or
//! `World::command`. `World::advance` moves their clock.
//!
//! `on_sqlite!` declares tests that do not depend on the store, because `contract-tests` compares its
//! implementations; `on_both_stores!` declares the others, and `on_all_stores!` those that also run on Citus.
//! The path of each test on Postgres contains `on_postgres`, so that `--skip on_postgres` skips all of them.

#[cfg(test)]
mod e2e {
    #[macro_use]
    mod world;
    mod app;
    mod authenticator;
    mod browser;
    mod clock;
    mod collector;
    mod person;
    mod polling;
    mod program;
    mod relay;
    mod response;
    mod server;

    mod assistant;
    mod flow;
    mod ingest;
    mod operation;
    mod security;
}
