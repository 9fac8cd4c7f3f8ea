//! References.

mod database;
mod pgbench;
mod server;

pub(crate) use database::drain_rows;
pub(crate) use pgbench::pgbench;
pub(crate) use server::{Kind, ReferenceServer, serve};
