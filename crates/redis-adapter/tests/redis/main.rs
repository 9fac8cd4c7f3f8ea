//! The shared counter against real servers: its contract and server outages.
//!
//! Each test starts its own server (`redis_adapter::test_support`).

#[cfg(test)]
mod busy;
#[cfg(test)]
mod concurrency;
mod contract;
#[cfg(test)]
mod expiry;
#[cfg(test)]
mod failover;
#[cfg(test)]
mod outage;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod tls;
