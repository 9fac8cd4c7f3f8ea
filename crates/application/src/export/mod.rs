//! Giving a person's records out again, whole.

mod export_records;

pub use export_records::*;

#[cfg(test)]
mod tests;
