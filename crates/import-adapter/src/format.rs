//! Supported formats.

/// Format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Detected from the content.
    Auto,
    /// Apple Health: `export.xml`, alone or in its zip.
    AppleHealth,
    /// Fitbit's sleep logs: JSON of Google Takeout and of the API, or the CSV of the web export.
    Fitbit,
    /// Oura: sleep documents of its API, versions 1 and 2, and of its export.
    Oura,
    /// WHOOP: `sleeps.csv` of its export.
    Whoop,
    /// Garmin: `dailySleepData`, alone or in lists.
    Garmin,
    /// Withings: summaries and raw series of sleep.
    Withings,
    /// Sleep as Android: `sleep-export.csv`, alone or in its zip.
    SleepAsAndroid,
    /// Open mHealth: sleep episodes, sleep durations and `HealthKit` samples.
    OpenMhealth,
    /// FHIR R4: Observations of sleep, alone, in lists or in Bundles.
    Fhir,
    /// Hypnograms of polysomnography in epochs of 30 seconds.
    Hypnogram,
    /// Labels of the NIH Dietary Supplement Label Database.
    Dsld,
    /// Intakes of supplements in Restwell's CSV.
    IntakeCsv,
    /// Restwell's NDJSON.
    Ndjson,
}

/// A text is not the name of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a format: known are auto, {}", Format::list())]
pub struct UnknownFormat;

impl Format {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 14] = [
        Self::Auto,
        Self::AppleHealth,
        Self::Fitbit,
        Self::Oura,
        Self::Whoop,
        Self::Garmin,
        Self::Withings,
        Self::SleepAsAndroid,
        Self::OpenMhealth,
        Self::Fhir,
        Self::Hypnogram,
        Self::Dsld,
        Self::IntakeCsv,
        Self::Ndjson,
    ];

    /// Returns the name on the command line, the title on pages, and the description of a file with its
    /// article.
    const fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Auto => ("auto", "a known format", "a file of a known format"),
            Self::AppleHealth => ("apple-health", "Apple Health", "an Apple Health export"),
            Self::Fitbit => ("fitbit", "Fitbit", "a Fitbit file"),
            Self::Oura => ("oura", "Oura", "an Oura file"),
            Self::Whoop => ("whoop", "WHOOP", "a WHOOP file"),
            Self::Garmin => ("garmin", "Garmin", "a Garmin file"),
            Self::Withings => ("withings", "Withings", "a Withings file"),
            Self::SleepAsAndroid => ("sleep-as-android", "Sleep as Android", "a Sleep as Android export"),
            Self::OpenMhealth => ("open-mhealth", "Open mHealth", "an Open mHealth file"),
            Self::Fhir => ("fhir", "FHIR", "a FHIR file"),
            Self::Hypnogram => ("hypnogram", "hypnograms", "a hypnogram"),
            Self::Dsld => ("dsld", "labels", "a DSLD file"),
            Self::IntakeCsv => ("intake-csv", "tables of intakes", "a table of intakes (intake-csv)"),
            Self::Ndjson => ("ndjson", "this server", "a file of Restwell's own lines (ndjson)"),
        }
    }

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// Lists the names of all file formats, for messages.
    pub fn list() -> String {
        let known = Self::ALL.into_iter().filter(|format| *format != Self::Auto);
        known.map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the title shown on pages.
    pub const fn title(self) -> &'static str {
        self.texts().1
    }

    /// Returns what a file of the format is called, with its article: `an Oura file`.
    pub(crate) const fn described(self) -> &'static str {
        self.texts().2
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
    fn what_people_are_told_that_they_can_upload_names_every_format_but_the_catalogues() {
        for format in Format::ALL.into_iter().filter(|format| ![Format::Auto, Format::Dsld].contains(format))
        {
            let text = application::upload::WHAT_CAN_BE_UPLOADED;
            assert!(text.contains(format.title()), "{}", format.title());
        }
    }

    #[test]
    fn a_name_parses_to_its_format_and_nothing_else_does() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.name()), Ok(format));
        }
        let text = UnknownFormat.to_string();
        assert!(Format::ALL.iter().all(|format| text.contains(format.name())), "{text}");
        for text in ["", "Fitbit", "csv", "auto "] {
            assert_eq!(Format::parse(text), Err(UnknownFormat));
        }
    }
}
