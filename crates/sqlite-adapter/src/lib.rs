//! Embedded storage on SQLite: the default that needs no set-up, for one machine.
//!
//! One connection writes, several read. SQLite has one writer anyway; a queue in the process is fairer than the
//! database's own busy loop, and readers see the last committed state without waiting (write-ahead log). Other
//! processes get their turn in the pause after each long transaction (see `writer`).
//!
//! Statements run on blocking threads. A cancelled request cannot stop a statement that already runs, so every
//! closure checks, under the connection's lock, whether its unit of work is still alive (see `writer`).
//!
//! Three kinds of type: row structs in this crate mirror tables, `domain` has the meaning, and both are converted
//! by taking structs apart, so that a new field does not compile until the row has it too. A stored value that
//! this program cannot have written is `StorageError::Corrupt`, naming the row's key and never the value.
//!
//! To add a migration: a directory in `migrations/sqlite` and one of the same name in `migrations/postgres`, each
//! with `up.sql` and `down.sql`; `up.sql` records itself in `schema_compatibility`.

mod access;
mod audit;
mod authorization_request;
mod change;
mod client;
mod clock;
mod code;
mod connected_app;
mod connection;
mod connection_meter;
mod consent;
mod erasure;
mod error;
mod failure_counter;
mod file_identity;
mod grant;
mod idempotency;
mod import;
mod intake_log;
mod job_lease;
mod migration;
mod options;
mod outbox;
mod password;
mod password_link;
mod personal_token;
mod read_tally;
mod reader_pool;
mod row;
mod schema;
mod scrub;
mod session;
mod signing_key;
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
mod writer;

pub use options::SqliteOptions;
pub use store::SqliteStore;
