//! End-to-end tests of the program: what an operator, an app and a person meet.
//!
//! Each test has its own store, copied from one that is migrated once: a SQLite file in a temporary folder, or a
//! database in the cluster that `RESTWELL_TEST_POSTGRES` names (`scripts/test` starts one). Commands and servers run
//! in the process of the tests. Those that need their own process say so with `World::in_processes` or
//! `World::command`: logs, signals, crashes, metrics, traces, memory, pipes, the environment.
//!
//! `on_sqlite!` declares tests of what does not depend on the store, whose implementations `contract-tests` compares;
//! `on_both_stores!` declares the others.

#[cfg(test)]
mod e2e {
    #[macro_use]
    mod world;
    mod app;
    mod browser;
    mod collector;
    mod patience;
    mod person;
    mod server;

    mod flow;
    mod ingest;
    mod operation;
    mod security;
}
