//! Panic hook.

/// Logs the location of a panic without its message, which may contain a value.
pub(super) fn report_place_only() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}
