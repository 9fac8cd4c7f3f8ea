//! Sleep sessions: one row each, with packed stages and metrics.

mod reader;
mod repository;
mod row;

pub(crate) use reader::find_packed;
