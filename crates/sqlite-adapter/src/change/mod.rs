//! Changes of a person's records: change numbers, deletions, and their reader.

pub(crate) mod deletion;
pub(crate) mod number;
mod reader;
