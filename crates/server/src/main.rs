//! The program `restwell`: one command in one process.

use restwell::Cli;
use std::process::ExitCode;
use std::time::Duration;

/// Allocator of the program on Linux (ADR 50).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum delay of the exit by blocked threads, such as one that waits for a statement of an embedded store.
const BLOCKED_THREAD_TIMEOUT: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    // With pages of 2 MiB, the allocator would give a whole one to each thread for a few kilobytes. An old
    // kernel that cannot do this has small pages anyway.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
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
