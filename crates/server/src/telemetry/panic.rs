//! What is told of a panic.

/// Reports where a panic happened and not what it says, which may hold a value.
pub(super) fn report_place_only() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}
