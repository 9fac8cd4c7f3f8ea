//! Export formats.

/// Export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object per line; can be imported again.
    Ndjson,
    /// A zip archive of CSV files.
    Zip,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Ndjson, Self::Zip];

    /// Returns the name of the format in requests and commands.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Zip => "zip",
        }
    }

    /// Parses the name of a format.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }
}
