//! The writer against `serde_json`, and what it holds while it writes.

mod equality;
mod strategy;
mod streaming;
