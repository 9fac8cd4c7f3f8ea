//! The program `restwell`: settings, wiring, lifecycle, telemetry, command line.

mod cli;
pub mod embedded;
mod lifecycle;
mod settings;
mod telemetry;
mod wiring;

pub use cli::{Cli, report_failure, run};
pub use telemetry::flush_log;
