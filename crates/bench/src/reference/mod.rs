//! What the cases are compared with.

mod database;
mod pgbench;
mod server;

pub(crate) use database::{ROW, drain_rows};
pub(crate) use pgbench::{pgbench, pgbench_figures};
pub(crate) use server::{Kind, ReferenceServer, serve};
