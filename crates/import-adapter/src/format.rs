//! The formats that can be named on a command line.

/// What a file is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Whatever the content shows.
    Auto,
    /// Fitbit's sleep logs: JSON of Google Takeout and of the API, or the CSV of the web export.
    Fitbit,
    /// Labels of the NIH Dietary Supplement Label Database.
    Dsld,
    /// Restwell's own lines.
    Ndjson,
}

/// Says that a text names no format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a format: auto, fitbit, dsld or ndjson")]
pub struct UnknownFormat;

impl Format {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Fitbit, Self::Dsld, Self::Ndjson];

    /// Gives the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fitbit => "fitbit",
            Self::Dsld => "dsld",
            Self::Ndjson => "ndjson",
        }
    }

    /// Parses a name, exactly as [`Self::name`] spells it.
    pub fn parse(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or(UnknownFormat)
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, UnknownFormat};

    #[test]
    fn a_name_parses_to_its_format_and_nothing_else_does() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.name()), Ok(format));
        }
        for text in ["", "Fitbit", "csv", "auto "] {
            assert_eq!(Format::parse(text), Err(UnknownFormat));
        }
    }
}
