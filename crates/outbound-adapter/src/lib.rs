//! Requests to untrusted hosts that apps and operators chose (ADR 66), and to the server's public URL.
//!
//! A name is resolved once, every address is checked, and the connection uses a checked address, so later
//! changes of the name have no effect. Each request has its own connection, without the proxy variables of
//! the environment.

mod connection;
mod guarded_fetcher;
mod metadata_reader;
mod site_probe;

pub use guarded_fetcher::{GuardedFetcher, Resolver, SystemResolver};
pub use metadata_reader::MetadataReader;
pub use site_probe::{ProbeError, SiteProbe, SiteResponse};

#[cfg(test)]
mod tests;
