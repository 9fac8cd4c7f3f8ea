//! Grants and their refresh tokens.

mod reader;
mod repository;
mod row;

pub(crate) use row::GrantRow;
