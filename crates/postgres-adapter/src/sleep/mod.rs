//! Sleep sessions: one row each, with packed stages and metrics.

mod page;
mod page_session;
mod reader;
mod repository;
mod row;

pub(crate) use page_session::{PageSession, PageSessionColumns, unix_micros};
