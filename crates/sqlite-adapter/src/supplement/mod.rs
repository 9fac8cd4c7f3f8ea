//! The catalogue of supplements, and what a person takes of it.

mod reader;
mod repository;
mod row;

pub(crate) use reader::{in_snapshot, read_supplement};
pub(crate) use row::SupplementRow;
