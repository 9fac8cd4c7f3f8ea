//! Log levels by crate.

use super::Verbosity;
use crate::settings::LogLevel;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// Targets of Restwell's own crates.
const OWN_TARGETS: [&str; 10] = [
    "restwell",
    "application",
    "domain",
    "http_adapter",
    "import_adapter",
    "page_adapter",
    "postgres_adapter",
    "redis_adapter",
    "sqlite_adapter",
    "system_adapter",
];

/// Returns the filter for a level.
pub(super) fn targets(level: LogLevel, verbosity: Verbosity) -> Targets {
    let asked = filter(level);
    let own = if verbosity == Verbosity::Command { asked.min(LevelFilter::WARN) } else { asked };
    // Below `warn`, libraries log what they send and receive.
    let others = own.min(LevelFilter::WARN);
    Targets::new()
        .with_default(others)
        .with_target("actix_server", own.min(LevelFilter::INFO))
        // It reports bytes that are no HTTP as server errors; clients could fill the log with them.
        .with_target("actix_http::h1::dispatcher", LevelFilter::OFF)
        .with_targets(OWN_TARGETS.map(|name| (name, own)))
}

const fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn libraries_stay_quiet_at_every_level() {
        let targets = targets(LogLevel::Trace, Verbosity::Server);
        for library in ["tokio_postgres::client", "actix_http::h1", "hyper", "diesel_async", "mio"] {
            assert!(!targets.would_enable(library, &Level::INFO), "{library}");
            assert!(targets.would_enable(library, &Level::WARN), "{library}");
        }
        assert!(targets.would_enable("http_adapter::middleware", &Level::TRACE));
    }

    #[test]
    fn invalid_http_is_not_logged_as_a_server_error() {
        let targets = targets(LogLevel::Trace, Verbosity::Server);
        assert!(!targets.would_enable("actix_http::h1::dispatcher", &Level::ERROR));
    }

    #[test]
    fn a_quiet_level_applies_to_all_and_a_command_only_warns() {
        let quiet = targets(LogLevel::Error, Verbosity::Server);
        assert!(!quiet.would_enable("restwell", &Level::WARN) && !quiet.would_enable("mio", &Level::WARN));
        let command = targets(LogLevel::Debug, Verbosity::Command);
        assert!(
            command.would_enable("restwell", &Level::WARN) && !command.would_enable("restwell", &Level::INFO)
        );
    }
}
