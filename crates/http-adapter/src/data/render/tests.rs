//! Compares the writer with `serde_json`, and checks the memory that it holds.

mod corrupt;
mod equality;
mod strategy;
mod streaming;
