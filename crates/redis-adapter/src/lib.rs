//! Daily request counters shared by replicas, in Redis or Valkey: [`RedisRateLimiter`].
//!
//! One script per request counts and replies in a single step, so that exactly `limit` concurrent requests
//! of all replicas are accepted. While the store is down, requests are counted in the process without waiting
//! for it, and a background task reconnects ([ADR 25](../../../docs/adr/0025-shared-rate-counter.md)).
//!
//! With the feature `test-support`, `test_support` starts servers for tests.

mod counter_key;
mod fault;
mod options;
mod rate_limiter;
mod script;
mod shared_count_meter;
mod shared_store;
#[cfg(feature = "test-support")]
pub mod test_support;
mod wait;
mod worker_connections;

pub use options::{InvalidRedisOptions, RedisOptions};
pub use rate_limiter::RedisRateLimiter;
