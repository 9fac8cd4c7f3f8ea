//! The shared counter on a real server: its contract, and everything that can happen to the server.
//!
//! Each test has a server of its own (`redis_adapter::test_support`).

mod contract;
mod expiry;
mod measure;
mod outage;
mod stage;
mod tls;
