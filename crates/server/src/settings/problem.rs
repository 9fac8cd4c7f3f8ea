//! What is wrong with a setting.

use std::fmt;
use std::ops::RangeInclusive;

/// Something wrong with one setting: its full name and what to do, never its value: a secret may have been
/// put into the wrong setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    key: String,
    text: String,
}

impl Problem {
    /// Says what is wrong with the setting of this name.
    pub(crate) fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into() }
    }

    /// Says so when a number is out of its range.
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

/// Says why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The file is not there, or may not be read.
    #[error("the settings file {path} cannot be read: {reason}")]
    Unreadable {
        /// Which file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The file is not TOML.
    #[error("the settings file {path} is not valid TOML: {place}")]
    NotToml {
        /// Which file.
        path: String,
        /// Where it breaks; never the line itself, which may hold a secret.
        place: String,
    },
    /// Settings that nobody knows, that have the wrong type, or that cannot be as they are.
    #[error("{}", joined(.0))]
    Wrong(Vec<Problem>),
}

fn joined(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
