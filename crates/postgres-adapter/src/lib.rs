//! Production storage on Postgres, 14 or later.
//!
//! [`PostgresStore`] implements every storage port of the application. Writes go through a unit of work, one
//! transaction on a pooled connection (`write`); pages take a connection of their worker's, or else a pooled one, for one
//! statement; reads of a single row share a few pipelined connections (`read`). Rows and domain types are different types (`row`).
//!
//! The tables of a person's data are hash-partitioned by `user_id`; `migrations/postgres` says how and why.
//!
//! With the feature `test-support`, `test_support` hands out databases for tests.

mod connection;
mod error;
mod migration;
mod options;
mod pool_meter;
mod read;
mod replica;
mod row;
mod schema;
mod statement;
mod store;
mod unit_of_work;
mod upkeep;
mod write;

#[cfg(feature = "test-support")]
pub mod test_support;

pub use connection::InvalidTls;
pub use options::{InvalidPostgresOptions, PostgresOptions};
pub use replica::PostgresReplica;
pub use store::PostgresStore;
