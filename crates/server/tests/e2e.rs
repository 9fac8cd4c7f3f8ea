//! The whole program, run as a process, on both stores: what an operator, an app and a person meet.
//!
//! Every test starts `restwell` itself, with settings from the environment, on a store of its own: a SQLite
//! file in a temporary folder, or a database cloned in the cluster that `RESTWELL_TEST_POSTGRES` names
//! (`scripts/test` starts one).

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
