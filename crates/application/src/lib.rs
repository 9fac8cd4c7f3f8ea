//! What Restwell does: use cases, and the ports through which they reach everything else.
//!
//! A use case is one struct in one file; `new` takes ports, `run` does it. Ports are traits in [`ports`];
//! adapters implement them, and nothing here knows which adapter it talks to.

pub mod access;
pub mod account;
pub mod audit;
pub mod authorization;
mod batches;
pub mod connection;
pub mod demo;
pub mod erasure;
pub mod export;
pub mod guessing;
pub mod import;
pub mod key;
pub mod mail;
pub mod operator;
mod patience;
pub mod personal_token;
pub mod ports;
pub mod read;
pub mod schema;
pub mod token;
pub mod upload;

pub use ports::storage::StorageError;

#[cfg(test)]
mod testing;
