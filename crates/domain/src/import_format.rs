//! Formats of files that can be imported.

crate::named_enum! {
    /// Format of a file, in the order in which help texts list them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Format {
        /// Detected from the content.
        Auto = "auto",
        /// Apple Health: `export.xml`, alone or in its zip.
        AppleHealth = "apple-health",
        /// Fitbit's sleep logs: JSON of Google Takeout and of the API, or the CSV of the web export.
        Fitbit = "fitbit",
        /// Oura: sleep documents of its API, versions 1 and 2, and of its export.
        Oura = "oura",
        /// WHOOP: `sleeps.csv` of its export.
        Whoop = "whoop",
        /// Garmin: `dailySleepData`, alone or in lists.
        Garmin = "garmin",
        /// Withings: summaries and raw series of sleep.
        Withings = "withings",
        /// Sleep as Android: `sleep-export.csv`, alone or in its zip.
        SleepAsAndroid = "sleep-as-android",
        /// Open mHealth: sleep episodes, sleep durations and `HealthKit` samples.
        OpenMhealth = "open-mhealth",
        /// FHIR R4: Observations of sleep, alone, in lists or in Bundles.
        Fhir = "fhir",
        /// Hypnograms of polysomnography in epochs of 30 seconds.
        Hypnogram = "hypnogram",
        /// Labels of the NIH Dietary Supplement Label Database.
        Dsld = "dsld",
        /// Intakes of supplements in Restwell's CSV.
        IntakeCsv = "intake-csv",
        /// Restwell's NDJSON.
        Ndjson = "ndjson",
    } else UnknownFormat = UnknownFormat
}

/// A text is not the name of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown format; known formats are auto, {}", Format::list())]
pub struct UnknownFormat;

impl Format {
    /// Returns the heading and the text with which the help page explains how to get such a file; `None` if
    /// people upload none.
    pub const fn instructions(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Auto | Self::Dsld => return None,
            Self::AppleHealth => (
                "Apple Health",
                "In the Health app on your iPhone, tap your picture, then “Export All Health Data”. Upload the ZIP file.",
            ),
            Self::Fitbit => {
                ("Fitbit", "Request your Fitbit data through Google Takeout. Upload the ZIP file.")
            }
            Self::Oura => {
                ("Oura", "In your Oura account on the web, export your data. Upload the JSON file.")
            }
            Self::Whoop => {
                ("WHOOP", "In the app’s settings, export your data. Upload the ZIP file from the email.")
            }
            Self::Garmin => (
                "Garmin",
                "In your Garmin account, ask for an export of your data. Upload the ZIP file from the email.",
            ),
            Self::Withings => (
                "Withings",
                "Upload sleep responses from the Withings API as JSON files. The CSV tables of the account export \
                 cannot be read yet.",
            ),
            Self::SleepAsAndroid => {
                ("Sleep as Android", "In the app, choose backup and share the file. Upload the ZIP file.")
            }
            Self::OpenMhealth => ("Open mHealth", "Upload sleep episodes or sleep durations as JSON files."),
            Self::Fhir => ("FHIR", "Upload Observations of sleep (R4) as JSON files, alone or in Bundles."),
            Self::Hypnogram => (
                "Sleep lab",
                "Upload the hypnogram as a text file with one stage per 30 seconds. Restwell asks for the start of \
                 the recording if the file does not state it.",
            ),
            Self::IntakeCsv => {
                ("Tables of intakes", "Upload a CSV file with one intake of a supplement on each line.")
            }
            Self::Ndjson => (
                "Another Restwell server",
                "Download your data there as JSON lines, and upload that file here.",
            ),
        })
    }

    /// Lists what people can upload: `an Apple Health export, a Fitbit file, ... or a hypnogram`.
    pub fn list_uploads() -> String {
        let formats = Self::ALL.into_iter().filter(|format| format.instructions().is_some());
        let known: Vec<&str> = formats.map(Self::described).collect();
        match known.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Lists the names of all file formats, for messages.
    pub fn list() -> String {
        let known = Self::ALL.into_iter().filter(|format| *format != Self::Auto);
        known.map(Self::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Returns what a file of the format is called, with its article: `an Oura file`.
    pub const fn described(self) -> &'static str {
        match self {
            Self::Auto => "a file of a known format",
            Self::AppleHealth => "an Apple Health export",
            Self::Fitbit => "a Fitbit file",
            Self::Oura => "an Oura file",
            Self::Whoop => "a WHOOP file",
            Self::Garmin => "a Garmin file",
            Self::Withings => "a Withings file",
            Self::SleepAsAndroid => "a Sleep as Android export",
            Self::OpenMhealth => "an Open mHealth file",
            Self::Fhir => "a FHIR file",
            Self::Hypnogram => "a hypnogram",
            Self::Dsld => "a DSLD file",
            Self::IntakeCsv => "a table of intakes (intake-csv)",
            Self::Ndjson => "a Restwell export (ndjson)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, UnknownFormat};

    #[test]
    fn people_are_shown_every_format_but_the_catalogues() {
        let text = Format::list_uploads();
        for format in Format::ALL {
            let is_shown = ![Format::Auto, Format::Dsld].contains(&format);
            assert_eq!(text.contains(format.described()), is_shown, "{text}");
            assert_eq!(format.instructions().is_some(), is_shown, "{format:?}");
        }
        assert!(text.starts_with("an Apple Health export, a Fitbit file, "), "{text}");
        assert!(text.ends_with(" or a Restwell export (ndjson)"), "{text}");
    }

    #[test]
    fn a_name_parses_to_its_format_and_nothing_else_does() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.as_str()), Ok(format));
        }
        let text = UnknownFormat.to_string();
        assert!(Format::ALL.iter().all(|format| text.contains(format.as_str())), "{text}");
        for text in ["", "Fitbit", "csv", "auto "] {
            assert_eq!(Format::parse(text), Err(UnknownFormat));
        }
    }
}
