//! The shared counter on a real server: its contract, and everything that can happen to the server.
//!
//! Each test has a server of its own (`redis_adapter::test_support`).

#[cfg(test)]
mod busy;
mod contract;
#[cfg(test)]
mod expiry;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod outage;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod together;
