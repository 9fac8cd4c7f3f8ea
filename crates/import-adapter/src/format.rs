//! Supported formats.

domain::named_enum! {
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
    /// Returns the title on pages, and the description of a file with its article.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Auto => ("a known format", "a file of a known format"),
            Self::AppleHealth => ("Apple Health", "an Apple Health export"),
            Self::Fitbit => ("Fitbit", "a Fitbit file"),
            Self::Oura => ("Oura", "an Oura file"),
            Self::Whoop => ("WHOOP", "a WHOOP file"),
            Self::Garmin => ("Garmin", "a Garmin file"),
            Self::Withings => ("Withings", "a Withings file"),
            Self::SleepAsAndroid => ("Sleep as Android", "a Sleep as Android export"),
            Self::OpenMhealth => ("Open mHealth", "an Open mHealth file"),
            Self::Fhir => ("FHIR", "a FHIR file"),
            Self::Hypnogram => ("hypnograms", "a hypnogram"),
            Self::Dsld => ("labels", "a DSLD file"),
            Self::IntakeCsv => ("tables of intakes", "a table of intakes (intake-csv)"),
            Self::Ndjson => ("this server", "a Restwell export (ndjson)"),
        }
    }

    /// Lists the names of all file formats, for messages.
    pub fn list() -> String {
        let known = Self::ALL.into_iter().filter(|format| *format != Self::Auto);
        known.map(Self::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Returns the title shown on pages.
    pub const fn title(self) -> &'static str {
        self.texts().0
    }

    /// Returns what a file of the format is called, with its article: `an Oura file`.
    pub(crate) const fn described(self) -> &'static str {
        self.texts().1
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, UnknownFormat};

    #[test]
    fn the_list_of_formats_for_people_names_every_format_but_the_catalogues() {
        for format in Format::ALL.into_iter().filter(|format| ![Format::Auto, Format::Dsld].contains(format))
        {
            let text = application::upload::WHAT_CAN_BE_UPLOADED;
            assert!(text.contains(format.title()), "{}", format.title());
        }
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
