//! Changes of a person's records: change numbers, deletions, and their reader.

mod deletion;
mod number;
mod reader;

pub(crate) use deletion::delete_numbered;
