//! Result of one check.

use serde::Serialize;

/// Outcome of a check, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Failed,
    /// Works, and needs attention.
    Warning,
    Ok,
    /// Not checked: it is not configured, or depends on a check that failed.
    Skipped,
}

impl Status {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// A check with what was found and, if something is wrong, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) status: Status,
    /// One line without secrets.
    pub(super) message: String,
    pub(super) advice: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, message: message.into(), advice: None }
    }

    pub(super) fn warning(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: Status::Warning, advice: Some(advice.into()), ..Self::ok(name, message) }
    }

    pub(super) fn failed(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: Status::Failed, ..Self::warning(name, message, advice) }
    }

    /// Returns a check that was not made, with the reason.
    pub(super) fn skipped(name: &'static str, reason: impl Into<String>) -> Self {
        Self { status: Status::Skipped, ..Self::ok(name, reason) }
    }

    /// Adds what to do so that the check is made next time.
    pub(super) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}
