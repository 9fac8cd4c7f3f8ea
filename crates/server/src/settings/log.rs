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

/// Format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// A JSON object per line.
    Json,
    Human,
}

/// Minimum level of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    /// Failures that need action.
    Error,
    /// Problems that may need action.
    Warn,
    /// Normal operation.
    Info,
    /// Normal operation in detail.
    Debug,
    Trace,
}

impl LogLevel {
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

    fn format_value(&self) -> String {
        match self {
            Self::Json => "json".to_owned(),
            Self::Human => "human".to_owned(),
        }
    }
}

impl SettingValue for LogLevel {
    const KIND: &'static str = "error, warn, info, debug or trace";

    fn format_value(&self) -> String {
        self.as_str().to_owned()
    }
}
