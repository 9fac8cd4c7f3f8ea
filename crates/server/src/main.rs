//! The binary `restwell`: settings, wiring, lifecycle, telemetry, command line.

mod cli;
mod lifecycle;
mod settings;
mod telemetry;
mod wiring;

use std::process::ExitCode;
use std::time::Duration;

/// The static program's. That of musl has one lock for all threads, and a request of a large page took twice the time with it
/// (ADR 50).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long the threads that block, such as for a statement of an embedded store, may take to end with the process.
const LAST_THREADS: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let made = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = made.map_err(anyhow::Error::from).and_then(|runtime| {
        let outcome = runtime.block_on(cli::run(cli::Cli::parse_or_exit()));
        // Dropped, it would wait for them without an end.
        runtime.shutdown_timeout(LAST_THREADS);
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(cli::failed(&error)),
    }
}
