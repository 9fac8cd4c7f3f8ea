//! The formats, one folder each: recogniser, reader, fixtures and page.
//!
//! A new format is a folder, its `mod` line, and its row in the table below.

mod apple_health;
mod dsld;
mod fhir;
mod fitbit;
mod garmin;
mod hypnogram;
mod info;
pub(crate) mod intake_csv;
pub(crate) mod ndjson;
mod open_mhealth;
mod oura;
mod sleep_as_android;
mod whoop;
mod withings;

pub use info::FormatInfo;
pub(crate) use info::{OtherTable, TableHeader};

use application::ports::upload_files::UploadFormat;

/// Declares [`Format`] and its table.
macro_rules! formats {
    ($($variant:ident = $folder:ident,)+) => {
        /// Format of a file, in the order in which files are tried and help texts list the formats.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each format is described in its folder")]
        pub enum Format {
            $($variant,)+
        }

        impl Format {
            /// Every format, in the order of the table.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            /// Returns what is known about the format.
            pub const fn info(self) -> &'static FormatInfo {
                match self {
                    $(Self::$variant => &$folder::FORMAT,)+
                }
            }

            /// Returns the fixtures of the format.
            #[cfg(any(test, feature = "test-support"))]
            pub const fn fixtures(self) -> &'static crate::test_support::Fixtures {
                match self {
                    $(Self::$variant => &$folder::fixtures::FIXTURES,)+
                }
            }
        }
    };
}

formats! {
    AppleHealth = apple_health,
    Fitbit = fitbit,
    Oura = oura,
    Whoop = whoop,
    Garmin = garmin,
    Withings = withings,
    SleepAsAndroid = sleep_as_android,
    OpenMhealth = open_mhealth,
    Fhir = fhir,
    Hypnogram = hypnogram,
    Dsld = dsld,
    IntakeCsv = intake_csv,
    Ndjson = ndjson,
}

/// A text is not the name of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown format; known formats are auto, {}", Format::list())]
pub struct UnknownFormat;

/// What `--format` calls the detection of formats.
const AUTO: &str = "auto";

impl Format {
    /// Returns the format with this name; `None` for `auto`, which stands for the format of the content.
    pub fn parse(name: &str) -> Result<Option<Self>, UnknownFormat> {
        if name == AUTO {
            return Ok(None);
        }
        Self::ALL.into_iter().find(|format| format.as_str() == name).map(Some).ok_or(UnknownFormat)
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        self.info().name
    }

    /// Returns what a file of the format is called, with its article: `an Oura file`.
    pub const fn described(self) -> &'static str {
        self.info().file
    }

    /// Lists the names of all formats, for messages.
    pub fn list() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// Returns the formats that people upload, for the help page.
    pub fn uploads() -> Vec<UploadFormat> {
        let all = Self::ALL.into_iter().map(Self::info).filter(|info| !info.steps.is_empty());
        all.map(|info| UploadFormat { maker: info.maker, file: info.file, steps: info.steps }).collect()
    }
}

#[cfg(test)]
mod tests;
