//! Changes of a user's records: their numbers, what is left of deleted records, and how both are read.

mod deletion;
mod number;
mod reader;

pub(crate) use deletion::delete_numbered;
