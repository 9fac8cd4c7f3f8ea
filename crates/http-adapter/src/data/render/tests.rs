//! The writer against `serde_json`, and what it holds while it writes.

mod corrupt;
mod equality;
mod strategy;
mod streaming;
