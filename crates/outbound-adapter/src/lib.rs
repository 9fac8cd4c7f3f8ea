//! Requests to hosts that apps and operators chose, which may be anybody's (ADR 66).
//!
//! A name is resolved once, every address is judged, and the connection goes to a judged address: what the
//! name resolves to afterwards does not matter. Each request has its own connection, without the proxy
//! variables of the environment.

mod connection;
mod guarded_fetcher;
mod metadata_reader;
mod resolver;

pub use guarded_fetcher::GuardedFetcher;
pub use metadata_reader::MetadataReader;
pub use resolver::{Resolver, SystemResolver};

#[cfg(test)]
mod tests;
