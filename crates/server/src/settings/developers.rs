//! The section `developers`.

use super::section::section;

section! {
    /// Developers who register apps on the page `/developer`.
    DeveloperSettings("developers") {
        /// Whether signed-in people may register apps. Until `restwell client approve`, such an app works for
        /// its owner and 10 other people.
        self_service: bool = Some("false"), "true or false", "true";
    }
}
