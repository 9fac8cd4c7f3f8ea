//! Daily counters that replicas share, in Redis or Valkey: [`RedisRateLimiter`].
//!
//! One connection for the process carries all requests, one script a request counts and answers in a single step, so
//! that of many requests at many replicas exactly `limit` find a place. While the store is down requests are counted
//! in the process and none of them waits for it: a task of its own connects again
//! ([ADR 25](../../../docs/adr/0025-shared-rate-counter.md)).
//!
//! With the feature `test-support`, `test_support` starts servers for tests.

mod connector;
mod counter_key;
mod fault;
mod keeper;
mod link;
mod options;
mod own;
mod patience;
mod rate_limiter;
mod script;
mod shared_count_meter;
#[cfg(feature = "test-support")]
pub mod test_support;

pub use options::{InvalidRedisOptions, RedisOptions};
pub use rate_limiter::RedisRateLimiter;
