//! Embedded storage on SQLite for one machine: the default, which needs no setup.
//!
//! One connection writes, several read. SQLite allows one writer; a queue in the process is fairer than its
//! busy loop. Readers see the last committed state without waiting (write-ahead log). Other processes can
//! write in the pause after each long transaction (see `writer`).
//!
//! Statements run on blocking threads. A cancelled request cannot stop a running statement. Every closure
//! therefore checks, under the connection's lock, that its unit of work is still open (see `writer`).
//!
//! Row types mirror tables and are separate from domain types. Conversions destructure the whole value, so
//! that a new field does not compile until the row has it. A stored value that this program cannot have
//! written is `StorageError::Corrupt`, which names the row's key and never the value.
//!
//! To add a migration, add a directory in `migrations/sqlite` and one of the same name in
//! `migrations/postgres`, each with `up.sql` and `down.sql`; `up.sql` records itself in
//! `schema_compatibility`.

mod access;
#[cfg(test)]
mod audit_tests;
mod change;
mod client;
mod clock;
mod code;
mod connected_app;
mod connection;
mod connection_meter;
mod error;
mod failure_counter;
mod file_identity;
mod grant;
mod import_journal;
mod intake_log;
mod migration;
mod options;
mod read_tally;
mod reader_pool;
mod row;
mod schema;
mod scrub;
mod sleep;
mod statement;
mod store;
mod supplement;
#[cfg(feature = "test-support")]
pub mod test_support;
#[cfg(test)]
mod testing;
mod unit_of_work;
mod upkeep;
mod user;
mod webhook;
mod writer;

pub use options::SqliteOptions;
pub use store::SqliteStore;
