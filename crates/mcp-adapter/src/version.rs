//! Protocol versions (2026-07-28, basic/versioning).

/// The version in which each request declares its version.
pub(crate) const MODERN: &str = "2026-07-28";
/// The latest version that begins with `initialize`.
pub(crate) const LATEST_LEGACY: &str = "2025-11-25";
/// The version of requests without `MCP-Protocol-Version`, the only one with batches.
pub(crate) const FIRST: &str = "2025-03-26";
/// Every version, latest first.
pub(crate) const VERSIONS: [&str; 4] = [MODERN, LATEST_LEGACY, "2025-06-18", FIRST];

/// How a request declares its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// In `_meta`, on every request.
    Modern,
    /// Once, in `initialize`; later requests repeat it in a header.
    Legacy,
}

/// Returns the version to offer to a client that asks for one in `initialize`.
pub(crate) fn negotiate(asked: &str) -> &'static str {
    VERSIONS.into_iter().find(|version| *version == asked && asked != MODERN).unwrap_or(LATEST_LEGACY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_version_is_answered_with_the_latest_legacy_one_2025_11_25_lifecycle_version_negotiation() {
        assert_eq!(negotiate("2025-06-18"), "2025-06-18");
        for asked in [MODERN, "2024-11-05", ""] {
            assert_eq!(negotiate(asked), LATEST_LEGACY);
        }
    }
}
