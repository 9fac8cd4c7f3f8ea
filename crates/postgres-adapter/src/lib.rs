//! Production storage on Postgres 14 or later.
//!
//! [`PostgresStore`] implements every storage port of the application. Each aggregate has a file or a folder
//! with its rows, its reader and its repository. Row types and domain types are separate. Repositories write
//! in a unit of work, which is one transaction on a pooled connection. Readers of a single row share a few
//! pipelined connections. Readers of a page use a connection of their worker, or a pooled one, for one
//! statement.
//!
//! The tables of a person's data are hash-partitioned by `user_id`; see `migrations/postgres`.
//!
//! With the feature `test-support`, `test_support` creates databases for tests.

mod access;
mod change;
mod client;
mod clock;
mod code;
mod connected_app;
mod connection;
mod distribution;
mod error;
mod failure_counter;
mod fixed_array;
mod grant;
mod import_journal;
mod intake_log;
mod migration;
mod options;
mod read_tally;
mod replica;
mod round_trip;
mod savepoint;
mod schema;
mod sleep;
mod statement;
mod store;
mod supplement;
mod tls;
mod unit_of_work;
mod upkeep;
mod user;
mod webhook;

#[cfg(feature = "test-support")]
pub mod test_support;

pub use distribution::Distribution;
pub use options::{InvalidPostgresOptions, PostgresOptions};
pub use replica::PostgresReplica;
pub use store::PostgresStore;
pub use tls::InvalidTls;
