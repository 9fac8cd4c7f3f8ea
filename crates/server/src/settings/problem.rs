//! Errors in settings.

use std::fmt;
use std::ops::RangeInclusive;

/// Error in one setting: its full name and how to fix it, but never its value, which may be a misplaced
/// secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    key: String,
    text: String,
}

impl Problem {
    pub(crate) fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into() }
    }

    /// Returns a problem if a number is out of its range.
    pub(crate) fn unless_within(key: &str, number: u32, range: RangeInclusive<u32>) -> Option<Self> {
        let (least, most) = (range.start(), range.end());
        (!range.contains(&number)).then(|| Self::new(key, format!("must be between {least} and {most}")))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.text)
    }
}

impl std::error::Error for Problem {}

/// Reason why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// File that is missing or not readable.
    #[error("the settings file {path} cannot be read: {reason}")]
    Unreadable { path: String, reason: String },
    /// File that is not TOML.
    #[error("the settings file {path} is not valid TOML: {place}")]
    NotToml {
        path: String,
        /// Position of the error, without the line itself, which may contain a secret.
        place: String,
    },
    /// Unknown settings, wrong types or invalid values.
    #[error("{}", join_lines(.0))]
    Wrong(Vec<Problem>),
}

fn join_lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
