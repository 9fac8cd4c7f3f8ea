//! The use cases of Restwell, and the ports through which they reach everything else.
//!
//! A use case is a method of its aggregate's service, such as [`passkey::Passkeys`], and changes the store in
//! a transaction of [`store::Store`]. Jobs of the server, such as [`mail::DeliverMail`], have a method `run`.
//! Ports are traits in [`ports`], which adapters implement; nothing in this crate depends on an adapter.

pub mod access;
pub mod account;
pub mod attempt_limit;
pub mod audit;
pub mod authorization;
mod batches;
pub mod client;
pub mod client_usage;
pub mod code;
pub mod credential;
pub mod demo;
pub mod erasure;
pub mod export;
pub mod grant;
pub mod import;
pub mod intake;
pub mod key;
pub mod mail;
mod model;
pub mod night;
pub mod passkey;
pub mod personal_token;
pub mod ports;
pub mod profile;
pub mod read;
pub mod record;
mod retry;
pub mod sandbox;
pub mod schema;
pub mod second_factor;
pub mod session;
pub mod store;
pub mod synthetic;
pub mod token;
pub mod upload;
pub mod user;
pub mod webhook;

pub use ports::storage::StorageError;

#[cfg(test)]
mod testing;
