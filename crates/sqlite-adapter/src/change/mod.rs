//! Changes of a person's records: their numbers, what is left of records that are gone, and how both are read.

pub(crate) mod deletion;
pub(crate) mod number;
mod reader;
