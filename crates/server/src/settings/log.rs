//! The section `log`.

use super::section::{SettingValue, section};
use serde::Deserialize;

section! {
    /// The log on standard error.
    LogSettings("log") {
        /// `json`: one object per line; `human`: for people.
        format: LogFormat = Some("human"), "json or human", "json";
        /// Minimum level. Libraries log nothing below `info`.
        level: LogLevel = Some("info"), "error, warn, info, debug or trace", "warn";
    }
}

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// An object a line.
    Json,
    /// For people.
    Human,
}

/// The least important level that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    /// What needs somebody.
    Error,
    /// What may need somebody.
    Warn,
    /// What happens.
    Info,
    /// What happens, in detail.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// Returns the name of the level.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl SettingValue for LogFormat {
    const KIND: &'static str = "json or human";

    fn shown(&self) -> String {
        match self {
            Self::Json => "json".to_owned(),
            Self::Human => "human".to_owned(),
        }
    }
}

impl SettingValue for LogLevel {
    const KIND: &'static str = "error, warn, info, debug or trace";

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}
