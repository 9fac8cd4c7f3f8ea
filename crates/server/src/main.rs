//! The program `restwell`: one command in one process.

use restwell::Cli;
use std::process::ExitCode;
use std::time::Duration;

/// Allocator of the static program. musl's allocator has one lock for all threads, which doubles the time of
/// a large page (ADR 50).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum delay of the exit by blocked threads, such as one that waits for a statement of an embedded store.
const BLOCKED_THREAD_TIMEOUT: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(Into::into).and_then(|runtime| {
        let outcome = runtime.block_on(restwell::run(Cli::parse_or_exit()));
        // Dropping the runtime would wait for blocked threads indefinitely.
        runtime.shutdown_timeout(BLOCKED_THREAD_TIMEOUT);
        restwell::flush_log();
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(restwell::report_failure(&error)),
    }
}
