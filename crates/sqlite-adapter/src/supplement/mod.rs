//! The supplement catalogue and intake logs.

mod reader;
mod repository;
mod row;

pub(crate) use reader::{in_snapshot, read_supplement};
